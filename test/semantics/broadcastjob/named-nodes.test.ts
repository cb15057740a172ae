import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { jobNameOf } from '../../../semantics/broadcastjob/named-nodes.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

/** Names that Kubernetes takes, often too long for a label, with a dot at any place. */
const name = fc
  .string({ unit: fc.constantFrom('a', 'b', '-', '.', '7'), minLength: 1, maxLength: 90 })
  .filter((text) => subdomain.test(text));
const nameOf = (job: string, value: string): string => jobNameOf(job, { by: 'name', value });

describe('the name of the Job of a node', () => {
  test('is one that Kubernetes takes, and that fits into a label', () => {
    fc.assert(
      fc.property(name, name, (job, node) => {
        const found = nameOf(job, node);
        expect(found).toMatch(subdomain);
        expect(found.length).toBeLessThanOrEqual(63);
      }),
    );
  });

  test('is one that Kubernetes takes wherever it is cut', () => {
    const positions = Array.from({ length: 62 }, (_, at) => at + 1);
    const found = positions.map((at) => nameOf(`${'a'.repeat(at)}.${'b'.repeat(20)}`, 'n.1'));
    expect(found.filter((each) => !subdomain.test(each))).toEqual([]);
  });

  test('is that of both where it fits', () => {
    expect(nameOf('fix', 'node-1')).toBe('fix-node-1');
  });

  test('is another one for each BroadcastJob and node, also where it is cut', () => {
    const long = 'a'.repeat(60);
    const found = [`${long}-x`, `${long}-y`, long].flatMap((job) =>
      ['n1', 'n2', 'n.3'].map((node) => nameOf(job, node)),
    );
    expect(new Set(found).size).toBe(found.length);
  });
});
