package import Feed
package import Freshness

/// The file as the place where answers are kept.
extension TimelineDatabase: AnswerStore {
  /// See ``AnswerStore``.
  package func answers(
    of source: String, at target: String
  ) throws(StoreError) -> [RawAnswer] {
    try write { (writer) throws(StoreError) in
      try writer.answers.answers(of: source, at: target)
    }
  }

  /// See ``AnswerStore``.
  package func keep(
    _ answer: RawAnswer, renewing former: RawAnswer?, of source: String, at target: String,
    variantsMax: Int
  ) throws(StoreError) {
    try writeAnswers { (answers) throws(StoreError) in
      try answers.keep(
        answer, renewing: former, of: source, at: target, variantsMax: variantsMax)
    }
  }

  /// See ``AnswerStore``.
  package func noteUse(
    of target: String, of source: String, at now: Timestamp
  ) throws(StoreError) {
    try writeAnswers { (answers) throws(StoreError) in
      try answers.noteUse(of: target, of: source, at: now)
    }
  }

  /// See ``AnswerStore``; a few dozen a transaction, so that no caller waits long.
  package func trimAnswers(
    of source: String, toBytes bytesMax: Int64
  ) throws(StoreError) {
    while try writeAnswers({ (answers) throws(StoreError) in
      try answers.trim(source, toBytes: bytesMax)
    }) {}
  }

  /// See ``AnswerStore``.
  package func purge(
    _ selection: AnswerSelection, of source: String, askedBy last: Timestamp?
  ) throws(StoreError) -> Int {
    try writeAnswers { (answers) throws(StoreError) in
      try answers.purge(selection, of: source, askedBy: last)
    }
  }

  /// See ``AnswerStore``.
  package func purge(allBut sources: Set<String>) throws(StoreError) {
    try writeAnswers { (answers) throws(StoreError) in try answers.purge(allBut: sources) }
  }

  private func writeAnswers<Value: Sendable>(
    _ body: (AnswerTable) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try write { (writer) throws(StoreError) in
      do throws(StoreError) {
        return try writer.connection.transaction { () throws(StoreError) in
          try body(writer.answers)
        }
      } catch {
        writer.answers.forgetSizes()
        throw error
      }
    }
  }
}
