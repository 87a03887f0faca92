// The part of undici that sends: its index would bring fetch, WebSocket and caches along.
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
