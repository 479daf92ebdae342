import PropertyList

/// Each content type of a document type gets a copy, under which managed apps hand over documents.
enum DocumentTypes {
  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    var changes: [Change] = []
    for path in try bundle.info.paths(to: "LSItemContentTypes", inEachOf: [.documentTypes]) {
      let present = try bundle.info.strings(at: path)
      let types = present.filter { !$0.isEmpty && !IntuneNames.isIntuneType($0) }
      let missing = IntuneNames.missing(types.map(IntuneNames.copy(ofType:)), in: present)
      guard !missing.isEmpty else { continue }
      changes.append(
        Change(path: path, action: .append(missing), comment: "copies of the content types, for managed apps"))
    }
    return changes
  }
}
