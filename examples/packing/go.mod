module packing

go 1.24
