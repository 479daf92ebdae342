enum JSONRPCTestsPlaceholder {}
