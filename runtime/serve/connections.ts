import type { Server, Socket } from 'node:net';
import type { Clock } from '../../schemas/wire/clock.ts';

export interface ConnectionLimits {
  /** Most open connections in all, and from one remote address. */
  total: number;
  perClient: number;
  /** How long a new connection is never closed, milliseconds: enough for one request and its answer. */
  graceMs: number;
}

interface Connection {
  client: string;
  since: number;
}

/**
 * Keeps a server available to new clients: no connection is refused, and beyond the limits the oldest are closed, those of
 * the remote addresses with most connections first. Connections within their grace period do not count: a probe ends within
 * it, so it is answered even if other connections from its address are held open.
 */
export function limitConnections(server: Server, clock: Clock, limits: ConnectionLimits): void {
  const { total, perClient, graceMs } = limits;
  /** The oldest first. */
  const open = new Map<Socket, Connection>();
  let cancel: (() => void) | undefined;

  function trim(): void {
    cancel = undefined;
    const until = clock.monotonic() - graceMs;
    const aged = [...open].filter(([, { since }]) => since <= until);
    const counts = new Map<string, number>();
    for (const [, { client }] of aged) counts.set(client, (counts.get(client) ?? 0) + 1);
    let left = aged.length;
    // The greatest share that fits: an address with a single connection loses it last.
    for (let share = perClient; share >= 0 && (share === perClient || left > total); share -= 1) {
      for (const [socket, { client }] of aged) {
        const count = counts.get(client) ?? 0;
        if (!open.has(socket) || count <= share) continue;
        if (share < perClient && left <= total) break;
        open.delete(socket);
        socket.destroy();
        counts.set(client, count - 1);
        left -= 1;
      }
    }
    schedule();
  }

  function schedule(): void {
    if (cancel === undefined && open.size > perClient) cancel = clock.after(graceMs, trim);
  }

  server.on('connection', (socket: Socket) => {
    open.set(socket, { client: socket.remoteAddress ?? '', since: clock.monotonic() });
    socket.once('close', () => open.delete(socket));
    schedule();
  });
  server.once('close', () => cancel?.());
}
