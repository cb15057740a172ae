import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { configMap, configMaps } from '../world.ts';
import { front, token } from './front.ts';

const ACCEPTED = 'net.server.socket';

/** Resolves when a connection is closed, also by an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
}

it('a client that does not read a long response is disconnected', async () => {
  const { alice, listener } = await front({}, { limits: { stallMs: 300 } });
  const text = 'x'.repeat(900_000);
  for (let count = 0; count < 30; count += 1)
    await alice.create(configMaps, configMap(`large-${count}`, {}, { text }));
  // The server's end: a loaded machine may need any time to write the response and detect the stall.
  const letGo = new Promise<void>((resolve) => {
    const onAccepted = (message: unknown): void => {
      unsubscribe(ACCEPTED, onAccepted);
      void closed((message as { socket: Socket }).socket).then(resolve);
    };
    subscribe(ACCEPTED, onAccepted);
  });
  const socket = connect(listener.port, '127.0.0.1');
  const isClosed = closed(socket);
  socket.pause();
  socket.write(`GET /api/v1/configmaps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await letGo;
  let received = 0;
  socket.on('data', (chunk: Buffer) => (received += chunk.length));
  socket.resume();
  await isClosed;
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThan(30 * text.length);
});
