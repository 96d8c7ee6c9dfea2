import Dispatch

/// Does what waits on a thread of its own: all tests and their tasks share very few, and what a
/// test waits for may be a task that none is left for.
package func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue.global().async { done.resume(with: Result { try body() }) }
  }
}
