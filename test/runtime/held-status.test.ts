import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { heldStatus } from '../../runtime/report/snapshot.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { objectOf } from '../../semantics/values/read.ts';

const REASONS = ['InvalidTarget', 'UnsupportedSemantics', 'NeedUnseen', 'TooLarge', 'ComponentOff'];
const cases = kinds.flatMap((kind) => REASONS.map((reason) => [kind.id.kind, reason, kind] as const));

test.each(cases)(
  '%s held as %s: its spec is observed where nothing but git ends that',
  (_kind, reason, kind) => {
    const target: KubeObject = {
      ...{ apiVersion: 'v1', kind: kind.id.kind, metadata: { name: 'web', generation: 3 } },
      status: { observedGeneration: 2 },
    };
    const status = heldStatus(kind, target, { reason, message: 'x' }, [], 0);
    const isObserved =
      kind.shape === 'Standing' &&
      kind.facts.status.observed.by === 'generation' &&
      ['InvalidTarget', 'UnsupportedSemantics'].includes(reason);
    // Old numbers under a new generation would look done to programs that know no kind.
    expect(objectOf(status)['observedGeneration']).toBe(isObserved ? 3 : 2);
  },
);
