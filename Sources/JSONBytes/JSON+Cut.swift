/// Values cut to some of their members.
extension JSON {
  /// Appends what `tree` keeps of a value to `output`.
  ///
  /// Of an object the members it names are kept, in their order and with their keys as they are
  /// written; of an array every element is cut by itself; a value kept whole keeps its very bytes.
  /// Where names lead into what is neither, `null` stays and everything else is left out: of
  /// `{"user":{"id":"a","age":3},"tags":[{"name":"b","n":1}],"team":null,"size":4}` the paths
  /// `user.id`, `tags.name`, `team.id` and `size.of` leave
  /// `{"user":{"id":"a"},"tags":[{"name":"b"}],"team":null}`.
  ///
  /// One pass at the speed of a scan, nothing is decoded. Of a value that is neither object nor
  /// array nor `null` nothing is left.
  ///
  /// - Throws: what `elements` throws for a broken structure; then `output` holds a part.
  package static func cut(
    _ value: ArraySlice<UInt8>, to tree: FieldTree, into output: inout [UInt8]
  ) throws(JSONError) {
    try value.withUnsafeBufferPointer { (buffer) throws(JSONError) in
      var scanner = Scanner(UnsafeRawBufferPointer(buffer))
      scanner.skipWhiteSpace()
      _ = try scanner.cut(to: tree, depth: 0, into: &output)
      scanner.skipWhiteSpace()
      guard scanner.at == scanner.end else { throw .trailingBytes(offset: scanner.at) }
    }
  }
}
