import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { deployOutputs } from '../../../deploy/generate/outputs.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { keepAdmission, keepReview } from './admission.ts';
import { keepDefinitions } from './definitions.ts';
import { keepKind } from './kind.ts';
import { registered } from './registered.ts';

/** A Keep of which nothing is on record. */
const recordless: Kind = {
  ...keepKind,
  admission: {
    option: undefined,
    create:
      keepAdmission.create.of === 'new pods' ? { ...keepAdmission.create, records: false } : { of: 'none' },
    review: { ...keepReview, records: false },
    policy: undefined,
  },
};

test.each<[string, Kind, unknown]>([
  ['whose kinds record what they allow is closed by its own component', keepKind, ['../admission-network']],
  ['whose kinds record nothing is not', recordless, undefined],
])('the port of an admission %s', (_, kind, components) => {
  const kinds = registered.map((each) => (each === keepKind ? kind : each));
  const text = deployOutputs(kinds, [...crds, ...keepDefinitions]).get(
    'deploy/components/admission/kustomization.yaml',
  );
  expect((parse(text ?? '') as { components?: unknown }).components).toEqual(components);
});
