package import Feed
package import Logging

extension FetchError {
  /// Why an upstream call brought nothing: a word that stays the same, and a detail for people.
  package var logged: Logger.Metadata { ["failure": "\(word)", "detail": "\(reason)"] }
}

extension StoreError {
  /// Why the store did not do what was asked, in the same way.
  package var logged: Logger.Metadata { ["failure": "\(word)", "detail": "\(reason)"] }
}
