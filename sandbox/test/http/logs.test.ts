import { expect, it } from 'vitest';
import { front, type Front } from './front.ts';

const path = '/api/v1/namespaces/default/pods';

async function withPod(spec: object, script: object): Promise<Front> {
  const set = await front();
  const annotations = { 'sandbox/containers': JSON.stringify(script) };
  const metadata = { name: 'p', annotations };
  await set.ask(path, { method: 'POST', body: { apiVersion: 'v1', kind: 'Pod', metadata, spec } });
  return set;
}

const one = { containers: [{ name: 'main', image: 'web:1' }] };
const lines = { main: { log: ['one', 'two', 'three'] } };

it.each([
  ['', 'one\ntwo\nthree\n'],
  ['?container=main', 'one\ntwo\nthree\n'],
  ['?tailLines=2', 'two\nthree\n'],
  ['?limitBytes=5', 'one\nt'],
  ['?timestamps=true&tailLines=1', '2026-01-01T12:00:02Z three\n'],
  ['?sinceSeconds=1', ''],
  ['?follow=true', 'one\ntwo\nthree\n'],
])('serves the lines of a container: %s', async (query, text) => {
  const { ask, clock } = await withPod(one, lines);
  await clock.advance(10_000);
  const answer = await ask(`${path}/p/log${query}`);
  expect([answer.code, answer.headers['content-type'], answer.text]).toEqual([
    200,
    'text/plain; charset=utf-8',
    text,
  ]);
});

it('refuses a log that is not there with the messages of a server', async () => {
  const two = { containers: [...one.containers, { name: 'side', image: 'side:1' }] };
  const { ask, clock } = await withPod(two, lines);
  const message = async (query: string) =>
    ((await ask(`${path}/p/log${query}`)).json as { message: string }).message;
  expect(await message('?container=main')).toBe(
    'container "main" in pod "p" is waiting to start: ContainerCreating',
  );
  await clock.advance(10_000);
  expect(await message('')).toBe('a container name must be specified for pod p, choose one of: [main side]');
  expect(await message('?container=x')).toBe('container x is not valid for pod p');
  expect(await message('?container=main&previous=true')).toBe(
    'previous terminated container "main" in pod "p" not found',
  );
  expect((await ask(`${path}/q/log`)).code).toBe(404);
  expect((await ask(`${path}/p/log`, { method: 'POST', body: {} })).code).toBe(405);
});

it('serves those of the container before a restart', async () => {
  const { ask, clock } = await withPod(one, { main: { log: ['hello'], crashAfterSeconds: 5 } });
  await clock.advance(9000);
  const previous = await ask(`${path}/p/log?previous=true&timestamps=true`);
  expect(previous.text).toBe('2026-01-01T12:00:02Z hello\n');
});
