// A WebSocket that comes back: with a delay that grows and is not everybody's at once, at the place where it was, and each message once.
// Messages are JSON with an `id`, and `after`: the position before them (examples/live.php makes them so); what a connection is sent alone has neither.
export function live(url, { onMessage, onReset, onState = () => {} }) {
  const seen = new Set()
  let socket, timer, position, tries = 0, ended = false

  function open() {
    clearTimeout(timer)
    const at = new URL(url, location.href)
    if (position) at.searchParams.set('since', position)
    socket = new WebSocket(at)
    socket.onopen = () => { tries = 0; onState('open') }
    socket.onmessage = ({ data }) => take(JSON.parse(data))
    socket.onclose = ({ code }) => {
      if (ended || code === 1008) return onState('closed')        // not wanted here: asking again would not help
      onState('waiting')
      timer = setTimeout(open, Math.random() * Math.min(30000, 500 * 2 ** tries++))
    }
  }

  function take(message) {
    if (message.type === 'reset') {                               // too long away, or the server was started anew: load the state
      position = message.position
      return onReset()
    }
    if (message.id === undefined) return onMessage(message)       // for this page alone: it has no place among the others
    position = message.after
    if (seen.has(message.id)) return
    seen.add(message.id)
    if (seen.size > 1000) seen.delete(seen.values().next().value) // the oldest
    onMessage(message)
  }

  addEventListener('online', () => { if (socket.readyState === WebSocket.CLOSED && !ended) open() })
  open()
  return {
    send: text => { if (socket.readyState !== WebSocket.OPEN) return false; socket.send(text); return true },
    close: () => { ended = true; clearTimeout(timer); socket.close(1000) },
  }
}
