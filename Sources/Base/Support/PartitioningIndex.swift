extension RandomAccessCollection {
  /// The first index of `range` whose element is in the second part of a partitioned collection: `isInSecondPart` is
  /// false for some elements, and true for all that follow.
  package func partitioningIndex(
    in range: Range<Index>, where isInSecondPart: (Element) throws -> Bool
  ) rethrows -> Index {
    var (low, count) = (range.lowerBound, distance(from: range.lowerBound, to: range.upperBound))
    while count > 0 {
      let middle = index(low, offsetBy: count / 2)
      if try isInSecondPart(self[middle]) {
        count /= 2
      } else {
        low = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return low
  }

  /// Searches the whole collection.
  package func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
    try partitioningIndex(in: startIndex..<endIndex, where: isInSecondPart)
  }
}
