/// A limit that was passed, and what it allows: `data.limit` and `data.value` of a -32004.
package struct LimitExcess: Error, Hashable {
  package let name: LimitName
  package let value: Int

  package init(_ name: LimitName, _ value: Int) {
    self.name = name
    self.value = value
  }
}
