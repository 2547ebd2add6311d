# The fields of a line of CSV, some of them in quotes, as field[1], field[2], ...; returns how many.
function fields(    rest, count, quoted) {
    split("", field)
    rest = $0
    for (count = 1;; ++count) {
        if (match(rest, /^"([^"]|"")*"/)) {
            quoted = substr(rest, 2, RLENGTH - 2)
            gsub(/""/, "\"", quoted)
            field[count] = quoted
            rest = substr(rest, RLENGTH + 1)
        } else {
            match(rest, /^[^,]*/)
            field[count] = substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
        }
        if (rest == "") return count
        rest = substr(rest, 2)
    }
}
