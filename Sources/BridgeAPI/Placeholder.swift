enum BridgeAPIPlaceholder {}
