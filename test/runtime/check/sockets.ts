import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createAddressRules } from '../../../runtime/check/addresses.ts';
import type { GetAnswer, GetOptions } from '../../../runtime/check/get.ts';
import { createHttpGet } from '../../../runtime/check/http-get.ts';
import type { Address } from '../../../runtime/check/http-get.ts';
import { createWallClock } from 'kruise-sandbox/clock';

export const MIB = 1024 * 1024;
const open: { server: Server; sockets: Set<Socket> }[] = [];

/** Closes every server that listens, and its connections. */
export function closeServers(): void {
  for (const { server, sockets } of open.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Starts a server at 127.0.0.1 and returns its port; `closeServers` ends it. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  open.push({ server, sockets });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

/** A server that sends these bytes on every connection, whatever the request. */
export async function serverSending(text: string, end = true): Promise<number> {
  return listen(
    createTcpServer((socket) => {
      socket.once('data', () => (end ? socket.end(text) : socket.write(text)));
    }),
  );
}

interface Asking extends Partial<GetOptions> {
  addresses?: string[];
  resolve?: (host: string) => Promise<Address[]>;
}

/** One request with the limits of a check; 127.0.0.0/8 is allowed unless `addresses` says otherwise. */
export async function ask(url: string, asking: Asking = {}): Promise<GetAnswer> {
  const { addresses = ['127.0.0.0/8'], resolve, ...options } = asking;
  const get = createHttpGet({
    clock: createWallClock(),
    addresses: createAddressRules(addresses),
    ...(resolve !== undefined && { resolve }),
  });
  const { signal } = new AbortController();
  return get(url, { headers: {}, timeoutMs: 5000, maxBytes: MIB, signal, ...options });
}
