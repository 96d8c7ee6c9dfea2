/// A whole store: a second engine is one type that has these four, and passes `StoreContract`.
package typealias FeedStore = TimelineStore & StoreHousekeeping & StoreHealth & WriteHolding
