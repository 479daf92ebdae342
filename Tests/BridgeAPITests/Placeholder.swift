enum BridgeAPITestsPlaceholder {}
