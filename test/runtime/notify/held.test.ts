import { afterEach, describe, expect, test } from 'vitest';
import type { RuntimeOptions } from '../../../runtime/options.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  startRuntime,
  templateOf,
  type TestCluster,
} from '../stage.ts';

const KIB = 1024;
const MINUTE = 60_000;

let stage: TestCluster;
let later: Runtime | undefined;
let isRefused: boolean;
let replicas: number;
afterEach(async () => {
  void later?.stop();
  later = undefined;
  await stage.stop();
});

interface Sent {
  id: string;
  event: string;
  reason?: string;
  plan?: object;
  since: string;
}

/** What came to the receiver. */
let got: Sent[];
const told = (): string[] => got.map(({ event, reason }) => `${event} ${reason}`);

const options = {
  config: { checks: [], webhook: { url: 'http://chat/', format: 'Event' } } as RuntimeOptions['config'],
  async post(_url: string, { content }: { content: string }) {
    got.push(JSON.parse(content) as Sent);
    return { status: 200, body: '' };
  },
  wrap: (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch(resource, of, patch, rest) {
      if (isRefused && of.name === 'web' && rest?.subresource === 'status')
        throw new ApiError({ code: 422, reason: 'Invalid', message: 'no' });
      return cluster.patch(resource, of, patch, rest);
    },
  }),
};

async function begins(): Promise<void> {
  [got, isRefused, replicas] = [[], false, 3];
  stage = await createTestCluster(cloneSet('web', 'web:1'), options);
}

/** Another process takes over. */
async function restart(): Promise<void> {
  void (later ?? stage.runtime).stop();
  await stage.clock.settle();
  later = startRuntime(stage.world, stage.clock, stage.errors, options);
  await stage.clock.settle();
}

const template = (notes: string[] | null): JsonObject => {
  const { metadata = {}, spec } = templateOf('web', 'web:1') as Record<string, JsonObject>;
  return { metadata, spec: { ...spec, notes } };
};

interface Case {
  reason: string;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Why nothing is decided about a target, and what ends it. */
const cases: readonly Case[] = [
  {
    reason: 'InvalidTarget',
    begin: () => patchSpec(stage, 'web', { template: template(['x'.repeat(300 * KIB)]) }),
    end: () => patchSpec(stage, 'web', { template: template(null) }),
  },
  {
    reason: 'TooLarge',
    begin: () =>
      patchSpec(stage, 'web', {
        template: template(Array.from({ length: 7 }, () => 'x'.repeat(100 * KIB))),
      }),
    end: () => patchSpec(stage, 'web', { template: template(null) }),
  },
  {
    reason: 'StatusRefused',
    async begin() {
      isRefused = true;
      replicas += 1;
      await patchSpec(stage, 'web', { replicas });
    },
    async end() {
      isRefused = false;
    },
  },
];

describe.each(cases)('a target that is held by $reason', ({ reason, begin, end }) => {
  test('is sent to the receiver once, without a plan', async () => {
    await begins();
    await begin();
    await stage.clock.advance(120 * MINUTE);
    expect(told()).toEqual([`Held ${reason}`]);
    expect(got[0]).not.toHaveProperty('plan');
  });

  test('is not sent if that is over within a minute, and is sent again if it comes again', async () => {
    await begins();
    await begin();
    await stage.clock.advance(MINUTE / 2);
    await end();
    await stage.clock.advance(120 * MINUTE);
    expect(told()).toEqual([]);
    await begin();
    await stage.clock.advance(10 * MINUTE);
    expect(told()).toEqual([`Held ${reason}`]);
  });

  test('is sent by another process with the same id, and no more once that is over', async () => {
    await begins();
    await begin();
    await stage.clock.advance(10 * MINUTE);
    await restart();
    await stage.clock.advance(10 * MINUTE);
    await restart();
    await stage.clock.advance(10 * MINUTE);
    expect(told()).toEqual(Array.from({ length: 3 }, () => `Held ${reason}`));
    expect(new Set(got.map(({ id }) => id)).size).toBe(1);
    await end();
    await stage.clock.advance(10 * MINUTE);
    await restart();
    await stage.clock.advance(10 * MINUTE);
    expect(got).toHaveLength(3);
  });
});

test('what a target waits for by itself is not told', async () => {
  await begins();
  await stage.change('web:2', false);
  await stage.clock.advance(60 * MINUTE);
  expect(told()).toEqual([]);
});
