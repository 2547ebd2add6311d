# Programs by hand over several GPUs, a line of Markdown for each program and size, of by_hand.csv.
NR > 1 && $1 != "sequential" && $5 != "" {
    key = $1 SUBSEP $3 SUBSEP ($3 == $4 ? "" : "weak")
    if (!(key in named)) { named[key] = 1; keys[++many] = key }
    time[key, $2] = $5
    if ($3 == $4) { if (states[$1, $3] != "" && states[$1, $3] != $6) wrong[$1, $3] = "differ"; states[$1, $3] = $6 }
}
END {
    if (!many) exit
    n = split(counts, count, ",")
    line = "| by hand | size |"; rule = "| --- | --- |"
    for (i = 1; i <= n; ++i) { line = line " " count[i] " |"; rule = rule " --- |" }
    print line " states |"; print rule " --- |"
    for (k = 1; k <= many; ++k) {
        split(keys[k], part, SUBSEP)
        one = time[part[1], part[2], "", 1]
        line = "| " part[1] " | " part[2] (part[3] != "" ? " a GPU" : "") " |"
        for (i = 1; i <= n; ++i) {
            us = time[keys[k], count[i]]
            if (us == "" && part[3] != "" && count[i] == 1) us = one
            if (us == "") { line = line " - |"; continue }
            line = line sprintf(us < 100 ? " %.2f" : " %.1f", us)
            if (count[i] > 1 && one != "") line = line sprintf(" (%.2f)", one / us * (part[3] != "" ? count[i] : 1))
            line = line " |"
        }
        print line " " (part[3] != "" ? "-" : wrong[part[1], part[2]] != "" ? "differ" : "same") " |"
    }
}
