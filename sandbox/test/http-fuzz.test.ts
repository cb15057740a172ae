import { expect, it } from 'vitest';
import { serve } from '../http/serve.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { wireClient, type WireAnswer } from './fuzz/client.ts';
import { watchInvariants } from './fuzz/invariants.ts';
import { seeded } from './fuzz/random.ts';
import type { Draft } from './fuzz/draft.ts';
import { draft } from './fuzz/requests.ts';
import { namespaces } from './fuzz/vocabulary.ts';
import { bytesOf } from './fuzz/wire.ts';
import { stage, widgetDefinition } from './world.ts';

const token = 'secret';
const count = Number(
  process.env['KRUISE_FUZZ_REQUESTS'] ?? (process.env['KRUISE_TEST'] === undefined ? 500 : 10_000),
);
const seed = Number(process.env['KRUISE_FUZZ_SEED'] ?? 1);
const deadlineMs = 5_000;

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Why a response is malformed; undefined if it is valid: an error must be a Status with a message, everything else
 * an object.
 */
function faultOf(answer: WireAnswer, asked: Draft): string | undefined {
  const { code, headers, body, open } = answer;
  if (asked.method === 'HEAD' || code === 304 || open) return undefined;
  if (headers.get('content-encoding') === 'gzip') return undefined;
  const type = headers.get('content-type') ?? '';
  // Real servers also return internal errors; unexpected errors are in the error hook.
  if (type.startsWith('text/plain'))
    return code === 404 || code === 400 || code === 200 ? undefined : 'plain text';
  // Errors of the HTTP parser have no body.
  if (type === '') return [400, 413, 417, 431].includes(code) ? undefined : 'no content type';
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(
      body.split('\n').length > 2 && body.startsWith('{"type"') ? (body.split('\n')[0] ?? '') : body,
    ) as Record<string, unknown>;
  } catch {
    return 'no JSON';
  }
  if (code >= 400) {
    const named = value['kind'] === 'Status' && value['status'] === 'Failure' && value['code'] === code;
    return named && typeof value['message'] === 'string' && value['message'] !== ''
      ? undefined
      : 'no proper Status';
  }
  if (code !== 200 && code !== 201) return 'an odd code';
  return typeof value['kind'] === 'string' || 'type' in value || 'paths' in value || 'major' in value
    ? undefined
    : 'no object';
}

it(`answers ${count} mutated requests, and keeps its store whole`, async () => {
  const random = seeded(seed);
  const { world, clock } = stage({ crds: [...crds, widgetDefinition], seed });
  const errors: unknown[] = [];
  const listener = await serve(world, {
    timers: clock,
    tokens: new Map([[token, 'kubernetes-admin']]),
    onError: (error) => errors.push(error),
  });
  const client = wireClient(listener.port);
  const invariants = watchInvariants(world);
  const order: number[] = [];
  world.server.watch(
    'fuzz',
    { group: '', version: 'v1', plural: 'configmaps' },
    { resourceVersion: '' },
    {
      onEvent: (event) =>
        event.type !== 'BOOKMARK' && order.push(Number(event.object.metadata.resourceVersion)),
      onEnd: () => {},
    },
  );
  const restore = () => {
    for (const name of namespaces)
      try {
        world.server.create(
          'fuzz',
          { group: '', version: 'v1', plural: 'namespaces' },
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
        );
      } catch {
        // It already exists.
      }
  };
  const codes = new Map<string, number>();
  const faults: string[] = [];
  let sent = 0;
  try {
    while (sent < count && faults.length < 10 && invariants.broken.length < 10) {
      if (sent % 200 < 2) {
        await clock.advance(2_000).catch((error: unknown) => faults.push(stackOf(error)));
        restore();
        invariants.checkAll();
      }
      const types = world.server.registry.types();
      const batch = Array.from({ length: random.chance(0.1) ? 4 : 1 }, () => draft(types, random));
      const bytes = batch.map((each) => bytesOf(each, token, each.body !== '' && random.chance(0.03)));
      const answers = await client.send(bytes, deadlineMs);
      // Connections that end early were watches or malformed HTTP.
      sent += Math.max(answers.length, 1);
      for (const [index, answer] of answers.entries()) {
        const asked = batch[index];
        if (asked === undefined) continue;
        const kind = `${asked.method} ${answer.code}`;
        codes.set(kind, (codes.get(kind) ?? 0) + 1);
        const [error] = errors.splice(0);
        const fault = error === undefined ? faultOf(answer, asked) : stackOf(error);
        if (fault !== undefined)
          faults.push(
            `${fault}: ${asked.method} ${asked.path}?${asked.query} ${JSON.stringify(asked.headers)} ${asked.body.slice(0, 300)} -> ${answer.code} ${answer.body.slice(0, 300)}`,
          );
      }
    }
  } finally {
    client.close();
    world.stop();
    await listener.close();
  }
  invariants.checkAll();
  expect(faults).toEqual([]);
  expect(errors).toEqual([]);
  expect(invariants.broken).toEqual([]);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(sent).toBeGreaterThanOrEqual(count);
  // A minimum of each class of responses, so that the requests reach the intended code.
  for (const kind of [
    'GET 200',
    'GET 404',
    'POST 201',
    'POST 409',
    'POST 422',
    'PUT 200',
    'PUT 404',
    'PATCH 200',
    'PATCH 201',
    'PATCH 422',
    'DELETE 200',
  ])
    expect(codes.get(kind) ?? 0, kind).toBeGreaterThan(count / 1_000);
  expect(invariants.commits).toBeGreaterThan(count / 20);
}, 120_000);
