module cost

go 1.19

require mambridge v0.0.0

replace mambridge => ../../../clients/go
