import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Registry, RelatedObjects } from '../api/registry.ts';
import { servedKind, viewOf } from '../api/registry.ts';
import { selects } from '../kinds/selectors.ts';
import type { Policy, PolicyBinding } from './policy.ts';

/** The parameters that a binding gives its policy, or why there are none. */
export type Params = { params: readonly (KubeObject | undefined)[] } | { fault: string };

/**
 * The parameters of a binding, for a write in a namespace. One that is undefined stands for a policy without
 * parameters. No parameter: the policy is not evaluated.
 */
export function paramsOf(
  { spec: { paramKind } }: Policy,
  { spec: { paramRef } }: PolicyBinding,
  namespace: string,
  { registry, related }: { registry: Pick<Registry, 'types'>; related: RelatedObjects },
): Params {
  if (paramKind === undefined || paramRef === undefined) return { params: [undefined] };
  const { apiVersion = '', kind = '' } = paramKind;
  const served = servedKind(registry, apiVersion, kind);
  if (served === undefined)
    return { fault: `paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${kind},}\` not known` };
  const { type } = served;
  const { name = '', namespace: named = '', selector, parameterNotFoundAction } = paramRef;
  if (named !== '' && !type.namespaced)
    return { fault: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  const within = type.namespaced ? named || namespace : '';
  if (type.namespaced && within === '')
    return {
      fault: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    };
  const stored =
    name === ''
      ? related.list(type.id, within).filter(({ metadata }) => selects(selector, metadata.labels))
      : [related.read(type.id, within, name)].filter((each) => each !== undefined);
  if (stored.length === 0 && parameterNotFoundAction === 'Deny')
    return { fault: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  return { params: stored.map((each) => viewOf(served, each)) };
}
