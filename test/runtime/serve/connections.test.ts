import { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { limitConnections } from '../../../runtime/serve/connections.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';

const limits = { total: 6, perClient: 3, graceMs: 200, most: 10 };

/** A server without a network: connections come from whom the test says, and have names. */
function createSetup() {
  const server = new EventEmitter();
  const clock = createVirtualClock(0);
  limitConnections(server as Server, clock, limits);
  const open: string[] = [];
  const sockets = new Map<string, Socket>();
  function come(client: string, ...names: string[]): void {
    for (const name of names) {
      const socket = new EventEmitter() as Socket;
      const destroy = (): Socket => {
        open.splice(open.indexOf(name), 1);
        socket.emit('close');
        return socket;
      };
      Object.assign(socket, { remoteAddress: client, remotePort: sockets.size, destroy });
      sockets.set(name, socket);
      open.push(name);
      server.emit('connection', socket);
    }
  }
  /** A request on a connection, over a socket of its own as with TLS, and its answer. */
  function ask(name: string): { answered(): void } {
    const { remoteAddress, remotePort } = sockets.get(name) ?? {};
    const response = new EventEmitter();
    server.emit('request', { socket: { remoteAddress, remotePort } }, response);
    return { answered: () => response.emit('finish') };
  }
  return { come, ask, open, server, passed: async (ms: number) => clock.advance(ms) };
}

describe('limits of connections', () => {
  it('beyond the limit of a client its oldest are closed, and no others', async () => {
    const { come, open, passed } = createSetup();
    come('10.0.0.2', 'quiet');
    come('10.0.0.3', 'a', 'b', 'c', 'd', 'e');
    await passed(400);
    expect(open).toEqual(['quiet', 'c', 'd', 'e']);
  });

  it('beyond the total limit, the client with most connections loses first', async () => {
    const { come, open, passed } = createSetup();
    come('10.0.0.2', 'quiet');
    come('10.0.0.3', 'a', 'b', 'c');
    come('10.0.0.4', 'd', 'e');
    come('10.0.0.5', 'f', 'g');
    await passed(400);
    expect(open).toEqual(['quiet', 'c', 'd', 'e', 'f', 'g']);
  });

  it('if each client has one, the oldest are closed', async () => {
    const { come, open, passed } = createSetup();
    for (const each of ['1', '2', '3', '4', '5', '6', '7', '8']) come(`10.0.0.${each}`, each);
    await passed(400);
    expect(open).toEqual(['3', '4', '5', '6', '7', '8']);
  });

  it('a new connection is never closed, however many there are, and closes no others', async () => {
    const { come, open, passed } = createSetup();
    come('10.0.0.2', 'quiet');
    come('10.0.0.3', 'a', 'b', 'c');
    await passed(150);
    come('10.0.0.3', 'd', 'e', 'f', 'g', 'h');
    await passed(60);
    expect(open).toEqual(['quiet', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    await passed(400);
    expect(open).toEqual(['quiet', 'f', 'g', 'h']);
  });

  it('beyond the most, one of the client with most is closed at once, whatever its age', () => {
    const { come, open } = createSetup();
    come('10.0.0.2', 'quiet');
    come('10.0.0.3', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
    come('10.0.0.4', 'new');
    come('10.0.0.3', 'j');
    expect(open).toEqual(['quiet', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'new', 'j']);
  });

  it('one that is used is closed after those that are idle for longer', async () => {
    const { come, ask, open, passed } = createSetup();
    come('10.0.0.2', 'used', 'a', 'b', 'c', 'd');
    await passed(100);
    const { answered } = ask('used');
    await passed(100);
    answered();
    await passed(150);
    expect(open).toEqual(['used', 'b', 'c', 'd']);
    come('10.0.0.2', 'e');
    await passed(600);
    expect(open).toEqual(['d', 'used', 'e'].sort((x, y) => open.indexOf(x) - open.indexOf(y)));
    expect(open).toContain('used');
  });

  it('no timer is left after the server has closed', async () => {
    const { come, open, server, passed } = createSetup();
    come('10.0.0.3', 'a', 'b', 'c', 'd');
    server.emit('close');
    await passed(1_000);
    expect(open).toHaveLength(4);
  });
});
