/// A whole store: a second engine is one type that has these five, and passes `StoreContract`.
package typealias FeedStore =
  TimelineStore & StoreHousekeeping & StoreHealth & WriteHolding & StoreSharing
