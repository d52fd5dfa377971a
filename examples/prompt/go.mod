module prompt

go 1.24
