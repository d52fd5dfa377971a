module gofast

go 1.24
