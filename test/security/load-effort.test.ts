import { expect, test } from 'vitest';
import { main } from '../../cli/dispatch.ts';
import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import { cloneSet } from '../compiler/world/manifests.ts';
import { memoryHost } from '../cli/world/memory-host.ts';

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

const images = ['nginx:1.25', 'nginx:1.27'] as const;

/** Both states with another image each. */
function changed(parts: Parameters<typeof cloneSet>[0], text = (whole: string): string => whole) {
  const [base, head] = images.map((image) => text(cloneSet({ ...parts, image })));
  return { 'base/web.yaml': base ?? '', 'head/web.yaml': head ?? '' };
}

const documents = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join('---\n');

/** What grows with `n` in one of the states, or in both. */
const shapes: Record<string, (n: number) => Record<string, string>> = {
  'unknown fields of the spec': (n) => changed({ spec: lines(n, (i) => `  replica${i}: 1`) }),
  'unknown fields of a container': (n) => changed({ container: lines(n, (i) => `        imag${i}: 1`) }),
  'labels of another type': (n) =>
    changed({}, (text) =>
      text.replace(
        '      labels: {app: web}',
        `      labels:\n        app: web\n${lines(n, (i) => `        l${i}: 1`)}`,
      ),
    ),
  'labels that no label may be': (n) =>
    changed({}, (text) =>
      text.replace(
        '      labels: {app: web}',
        `      labels:\n        app: web\n${lines(n, (i) => `        l${i}: "a ${i}"`)}`,
      ),
    ),
  'ports of two names': (n) =>
    changed({
      container: `        ports:\n${lines(n, (i) => `        - {name: ${i < n / 2 ? 'a' : 'b'}, containerPort: 0}`)}`,
    }),
  'ports of another type, and ports that no host has': (n) =>
    changed({
      container: `        ports:\n${lines(n, (i) => `        - {containerPort: ${i % 2 === 0 ? '"80"' : '99999'}}`)}`,
    }),
  'mounts and devices of no volume': (n) =>
    changed({
      container: ['Mounts', 'Devices']
        .map((list) => `        volume${list}:\n${lines(n / 2, (i) => `        - {name: v${i}}`)}`)
        .join('\n'),
    }),
  'resource claims that the pod lacks': (n) =>
    changed({
      pod: `      resourceClaims:\n${lines(n / 2, (i) => `      - {name: a${i}, resourceClaimName: a}`)}`,
      container: `        resources:\n          claims:\n${lines(n / 2, (i) => `          - {name: b${i}}`)}`,
    }),
  'aliases with an error each': (n) => changed({ spec: `  x: &x {a: b}\n${lines(n, (i) => `  y${i}: *x`)}` }),
  'workloads of one file that are all removed': (n) => ({
    'base/web.yaml': documents(n / 10, (i) => cloneSet({ name: `web-${i}` })),
    'head/other.yaml': cloneSet(),
  }),
};

/** The CPU time of a run, milliseconds; other load of the machine does not count. */
async function effort(files: Record<string, string>): Promise<number> {
  const host = memoryHost(files);
  const before = process.cpuUsage();
  await main(host, ['plan', 'head', '--base-dir', 'base', '-o', 'json']);
  const { user, system } = process.cpuUsage(before);
  expect(host.out + host.err).not.toContain('mistake of the program');
  return (user + system) / 1_000;
}

const SMALL = 1_000;
const TIMES = 6;
/** Thirty-six times the effort would be quadratic; six times is linear, and compilation adds to it. */
const MOST_TIMES = 16;
/** Shorter times are not significant. */
const FLOOR_MS = 60;

// A collection of garbage may come in between; effort that is quadratic is so at every try.
const patience = { retry: 2 };

test.each(Object.entries(shapes))(
  'security 8: the effort grows with the input: %s',
  patience,
  async (_what, shape) => {
    await effort(shape(SMALL / 10));
    const small = Math.max(await effort(shape(SMALL)), FLOOR_MS);
    expect((await effort(shape(SMALL * TIMES))) / small).toBeLessThan(MOST_TIMES);
  },
);

test('security 8: the effort of a validator grows with the errors', () => {
  const spent = (count: number): number => {
    const env = Array.from({ length: count }, () => ({ name: 1 }));
    const before = process.cpuUsage();
    const found = validatePodTemplate({ spec: { containers: [{ name: 'web', env }] } });
    expect(found).toHaveLength(count);
    return process.cpuUsage(before).user / 1_000;
  };
  spent(1_000);
  const small = Math.max(spent(10_000), FLOOR_MS);
  expect(spent(10_000 * TIMES) / small).toBeLessThan(MOST_TIMES);
});
