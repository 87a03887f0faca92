// The agent that leads through a proxy, as a module of our own: of a bundled CommonJS package that is imported late, only
// the default export would be there.
export { HttpsProxyAgent } from 'https-proxy-agent'
