import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Clock } from '../../schemas/wire/clock.ts';

export interface ConnectionLimits {
  /** Most open connections in all, and from one remote address. */
  total: number;
  perClient: number;
  /** How long a connection is not counted after it was opened, asked or answered, milliseconds: enough for one request. */
  graceMs: number;
  /** Most open connections of any age: bounds the memory of a flood within its grace period. */
  most: number;
}

interface Connection {
  socket: Socket;
  client: string;
  /** When it was opened, asked or answered. */
  since: number;
}

/**
 * Keeps a server of HTTP or HTTPS available to new clients: no connection is refused, and beyond the limits those that have
 * been idle for longest are closed, of the remote addresses with most connections first. Connections within their grace period
 * do not count: a probe or a review ends within it, so it is answered even if others from its address are held open.
 */
export function limitConnections(server: Server, clock: Clock, limits: ConnectionLimits): void {
  const { total, perClient, graceMs, most } = limits;
  /** Idle for longest first. A request over TLS has another socket than the connection, with the same address and port. */
  const open = new Map<string, Connection>();
  let cancel: (() => void) | undefined;

  function close(key: string, { socket }: Connection): void {
    open.delete(key);
    socket.destroy();
  }

  function trim(): void {
    cancel = undefined;
    const until = clock.monotonic() - graceMs;
    const aged = [...open].filter(([, { since }]) => since <= until);
    const counts = countsOf(aged.map(([, each]) => each));
    let left = aged.length;
    // The greatest share that fits: an address with a single connection loses it last.
    for (let share = perClient; share >= 0 && (share === perClient || left > total); share -= 1) {
      for (const [key, connection] of aged) {
        const count = counts.get(connection.client) ?? 0;
        if (open.get(key) !== connection || count <= share) continue;
        if (share < perClient && left <= total) break;
        close(key, connection);
        counts.set(connection.client, count - 1);
        left -= 1;
      }
    }
    schedule();
  }

  function schedule(): void {
    if (cancel === undefined && open.size > perClient) cancel = clock.after(graceMs, trim);
  }

  /** Closes one connection of the address that has most. */
  function closeOne(): void {
    const counts = countsOf(open.values());
    const greatest = Math.max(...counts.values());
    for (const [key, connection] of open)
      if (counts.get(connection.client) === greatest) return close(key, connection);
  }

  function use(key: string): void {
    const found = open.get(key);
    if (found === undefined) return;
    open.delete(key);
    open.set(key, { ...found, since: clock.monotonic() });
  }

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    open.set(key, { socket, client: socket.remoteAddress ?? '', since: clock.monotonic() });
    socket.once('close', () => {
      if (open.get(key)?.socket === socket) open.delete(key);
    });
    if (open.size > most) closeOne();
    schedule();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const key = keyOf(socket);
    use(key);
    response.once('finish', () => use(key));
  });
  server.once('close', () => cancel?.());
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function countsOf(connections: Iterable<Connection>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { client } of connections) counts.set(client, (counts.get(client) ?? 0) + 1);
  return counts;
}
