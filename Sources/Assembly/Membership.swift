import Engine
import Feed
import Freshness
import SQLiteStore
import Settings

#if PostgreSQL
  import Sharing

  extension SharedMembership: Membership {}
#endif

/// Joins a server with others that share a store; only a build with the trait PostgreSQL has one.
protocol Membership: Sendable {
  var store: any FeedStore { get }
  var clock: any TimeSource { get }
  func begin(_ readers: [FeedReader]) async
  func adopt(_ readers: [FeedReader]) async
  func sharing(of source: String, storedAs name: String) -> any AnswerSharing
  func follow(_ cache: any RawCaching, of source: String)
  func wait(of site: String, perMinute: Int) -> Duration?
  func noteFailure(_ error: StoreError)
  func end() async
}

/// The membership of a configuration, over a server's copy; nil where it shares with no other.
func joined(
  _ configuration: Configuration, over copy: TimelineDatabase, _ options: NodeOptions
) throws(AssemblyError) -> (any Membership)? {
  guard configuration.store.url != nil else { return nil }
  #if PostgreSQL
    do throws(SharedMembership.Failure) {
      return try SharedMembership(
        configuration, over: copy, time: options.time, version: options.version,
        logger: options.logger)
    } catch {
      switch error {
      case .store(let error): throw .store(error)
      case .badValue(let key, let reason): throw .badValue(key: key, reason: reason)
      }
    }
  #else
    throw .badValue(key: "store.url", reason: "this program was built without PostgreSQL")
  #endif
}
