# Reads a report that `ctest --output-junit` writes, for test.sh:
#
#     awk -f cmake/read_report.awk REPORT              of each test a line: what became of it (passed, failed or skipped), how many seconds
#                                                      it took, and its name
#     output_of=NAME awk -f cmake/read_report.awk REPORT
#                                                      what the first test of that name has put out, and how long it took
#
# Each `<testcase` stands on a line of its own, and so do `<system-out>` and what ends it, within the first and the last line of the output;
# in an output no `<` stands for itself.

function as_text(xml) {
    gsub(/&lt;/, "<", xml)
    gsub(/&gt;/, ">", xml)
    gsub(/&quot;/, "\"", xml)
    gsub(/&apos;/, "'", xml)
    gsub(/&amp;/, "\\&", xml)
    return xml
}

# What the attribute has in this line.
function attribute(name) {
    if (!match($0, " " name "=\"[^\"]*\"")) return ""
    return as_text(substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4))
}

BEGIN { wanted = ENVIRON["output_of"] }

/<testcase / {
    seconds = sprintf("%.3f", attribute("time"))
    is_wanted = wanted != "" && attribute("name") == wanted
    status = attribute("status")
    if (wanted == "") print (status == "run" ? "passed" : status == "fail" ? "failed" : "skipped"), seconds, attribute("name")
}
is_wanted && sub(/.*<system-out>/, "") { is_output = 1 }
is_output {
    is_last = sub(/<\/system-out>.*/, "")
    print as_text($0)
    if (is_last) {
        print "(after " seconds " s)"
        exit
    }
}
