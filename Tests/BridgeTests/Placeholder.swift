enum BridgeTestsPlaceholder {}
