import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { configMap, configMaps } from '../world.ts';
import { front, token } from './front.ts';

it('a reader who takes nothing of a long answer is let go', async () => {
  const { alice, listener } = await front({}, { limits: { stallMs: 300 } });
  const text = 'x'.repeat(900_000);
  for (let count = 0; count < 30; count += 1)
    await alice.create(configMaps, configMap(`large-${count}`, {}, { text }));
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET /api/v1/configmaps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await new Promise((resume) => setTimeout(resume, 1_200));
  let received = 0;
  socket.on('data', (chunk: Buffer) => (received += chunk.length));
  socket.resume();
  await once(socket, 'close');
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThan(30 * text.length);
});
