# A line of Markdown for each part (its folder is MODEL-SIZE.MEMORY) and kind of view, of the bench.csv of several.
FNR == 1 {
    split("", column)
    for (i = fields(); i > 0; --i) column[field[i]] = i
    n = split(FILENAME, folders, "/")
    part = folders[n - 1]
    parts[++many] = part
    next
}
{
    fields()
    kind = field[column["kind"]]
    if (kind ~ /^by hand/) next
    kind = kind ~ /^(rows|direct|window|mixed)$/ ? "single" : "fused"
    if (field[column["state"]] == "differs") { wrong[part, kind] = wrong[part, kind] " " field[column["devices"]] " differ" }
    time = field[column["microseconds_a_step"]]
    devices = field[column["devices"]]
    if (time == "") { if (why[part, kind] == "") why[part, kind] = field[column["why_not"]]; next }
    if (field[column["state"]] != "same" || ((part, kind, devices) in best && best[part, kind, devices] + 0 <= time + 0)) next
    best[part, kind, devices] = time
    places[part, kind, devices] = field[column["places"]]
    view[part, kind, devices] = field[column["view"]]
}
END {
    n = split(counts, count, ",")
    line = "| model, size | memory | steps |"; rule = "| --- | --- | --- |"
    for (i = 1; i <= n; ++i) { line = line " " count[i] " |"; rule = rule " --- |" }
    print line " view on most | state |"; print rule " --- | --- |"
    for (p = 1; p <= many; ++p)
        for (k = 1; k <= 2; ++k) {
            part = parts[p]; kind = k == 1 ? "single" : "fused"; last = ""; found = 0
            split(part, name, ".")
            line = "| " name[1] " | " name[2] " | " kind " |"
            for (i = 1; i <= n; ++i) {
                at = part SUBSEP kind SUBSEP count[i]; one = part SUBSEP kind SUBSEP 1
                if (!(at in best)) { line = line " - |"; continue }
                found = 1; last = view[at]
                line = line sprintf(best[at] < 100 ? " %.2f" : " %.1f", best[at])
                if (count[i] > 1 && one in best) line = line sprintf(" (%.2f)", best[one] / best[at] * places[at] / places[one])
                line = line " |"
            }
            state = found ? "same" : ""
            if (wrong[part, kind] != "") state = wrong[part, kind]
            else if (why[part, kind] != "") state = state (found ? "; " : "") why[part, kind]
            gsub(/\|/, "/", state)
            if (found || state != "") print line " " last " | " state " |"
        }
}
