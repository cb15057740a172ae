import { expect, test } from 'vitest';
import { intercepting, isWrite } from 'kruise-sandbox';
import { cloneSet, createTestCluster } from './stage.ts';

test('a write without a response is waited for two and a half seconds', async () => {
  let silent = false;
  let asked = 0;
  const stage = await createTestCluster(cloneSet('web', 'web:1'), {
    wrap: (cluster) =>
      intercepting(cluster, {
        async request(call, send) {
          if (!silent || !isWrite(call)) return send();
          asked += 1;
          return new Promise<never>(() => {});
        },
        watch: (_call, open, sink) => open(sink),
      }),
  });
  silent = true;
  await stage.change('web:2');
  await stage.clock.advance(1_000);
  expect(asked).toBeGreaterThan(0);
  let rested: boolean | undefined;
  void stage.runtime.stop().then((is) => (rested = is));
  await stage.clock.advance(2_400);
  expect(rested).toBeUndefined();
  await stage.clock.advance(200);
  expect(rested).toBe(false);
  await stage.stop();
});
