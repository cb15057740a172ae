import type { Bound } from './bound-policies.ts';

/** A mutation by an apply configuration. */
export const apply = (expression: string) => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
/** A mutation by a JSON patch. */
export const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** A mutating policy about the objects of one name. */
export const only = (name: string, mutations: object[], spec: object = {}): Bound => ({
  spec: {
    reinvocationPolicy: 'Never',
    matchConditions: [{ name: 'only', expression: `object.metadata.name == '${name}'` }],
    mutations,
    ...spec,
  },
});

/** A mutating policy with one mutation for each of these names; `spec` adds fields to each. */
export const onlyEach = (
  mutations: Record<string, object>,
  spec: (name: string) => object = () => ({}),
): Record<string, Bound> =>
  Object.fromEntries(
    Object.entries(mutations).map(([name, mutation]) => [name, only(name, [mutation], spec(name))]),
  );
