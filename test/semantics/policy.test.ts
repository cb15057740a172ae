import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Policy, POLICY_ANNOTATION, policyOf } from '../../semantics/policy.ts';

describe('the stricter of object, namespace and flag wins', () => {
  const said = (value: string | undefined): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'shop',
      ...(value === undefined ? {} : { annotations: { [POLICY_ANNOTATION]: value } }),
    },
  });
  const values = ['Auto', 'Required', 'auto', undefined];
  const table = values.flatMap((object) =>
    values.flatMap((namespace) =>
      (['Auto', 'Required'] as Policy[]).map((flag) => ({ object, namespace, flag })),
    ),
  );
  test.each(table)('object $object, namespace $namespace, flag $flag', ({ object, namespace, flag }) => {
    const lax =
      [object, namespace].every((value) => value === undefined || value === 'Auto') && flag === 'Auto';
    expect(policyOf(said(object), [said(namespace)], flag)).toBe(lax ? 'Auto' : 'Required');
  });

  test('an unknown namespace has no policy', () => {
    expect(policyOf(said('Auto'), [], 'Auto')).toBe('Auto');
  });
});
