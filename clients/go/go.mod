module mambridge

go 1.19
