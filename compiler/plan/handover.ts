import type { JsonObject } from '../../schemas/wire/json.ts';
import { type GitUnits, namedUnits, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import { countText } from '../../semantics/values/text.ts';
import { tupleId } from '../../semantics/owner.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { withPullPolicies } from '../../semantics/template/pull-policy.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { Change } from './change.ts';
import { shownName } from './target.ts';

/** The workloads of Kubernetes in both states; read when they are first asked for. */
export interface Natives {
  base(): ReadonlyMap<string, JsonObject>;
  head(): ReadonlyMap<string, JsonObject>;
}

/**
 * Finds out whether a created target takes over the pods of a workload of Kubernetes with its name, or a deleted one leaves its
 * pods to such a workload, and sets `change.handover`. Returns what happens to the pods.
 *
 * @param locate finds positions in the manifest of the target
 */
export function handover(change: Change, natives: Natives, locate: Locate): Diagnostic[] {
  const { type, action, namespace, name } = change;
  const { native } = type.git;
  const own = change.head ?? change.base;
  if (native === undefined || own === undefined || (action !== 'Create' && action !== 'Delete')) return [];
  const id = tupleId(native, namespace, name);
  const { group } = native;
  const target = `${change.kind} ${shownName({ namespace, name })}`;
  const { units } = own.normal;
  const pods = podsText(units);
  const position = (): Diagnostic['position'] => locate(['apiVersion'], 'value');
  if (action === 'Delete') {
    if (!natives.head().has(id)) return [];
    change.handover = 'ToNative';
    const command = deletion(type.resource.plural, type.id.group, change);
    return [diagnostic('KR2156', { target, group, pods, command }, position())];
  }
  const before = natives.base().get(id);
  if (before === undefined) return [];
  change.handover = 'FromNative';
  const command = deletion(type.resource.plural, group, change);
  const isLeft = natives.head().has(id);
  // Names that are taken keep it from making pods of its own, as long as the old object has them.
  const second = namedUnits(units) === undefined ? secondText(units, type.facts.nouns) : undefined;
  const found = [diagnostic('KR2154', { target, group, pods, command, isLeft, second }, position())];
  const template = objectOf(objectOf(before['spec'])['template']);
  if (templateHash(template) === own.hash) return found;
  // A pull policy that is written now is the one that Kubernetes has filled in before.
  const written = new Set(
    listOf(objectOf(own.normal.template['spec'])['containers']).flatMap(({ name: of, imagePullPolicy }) =>
      imagePullPolicy === undefined || imagePullPolicy === null ? [] : [of],
    ),
  );
  if (templateHash(withPullPolicies(template, (each) => written.has(each))) === own.hash) return found;
  return [...found, diagnostic('KR2155', { target, group }, position())];
}

/** The pods of a workload, as far as git says how many there are. */
function podsText(units: GitUnits): string {
  const count = wantedReplicas(units);
  if (count === undefined) return 'its pods';
  return count === 1 ? 'its pod' : `its ${countText(count, 'pod')}`;
}

/** What an object gets beside the pods of the old one. */
function secondText(units: GitUnits, { unit }: UnitNouns): string {
  return units.of === 'nodes' ? `a second pod on each ${unit}` : 'further pods';
}

function deletion(plural: string, group: string, { namespace, name }: Change): string {
  const at = namespace === undefined ? '' : ` -n ${namespace}`;
  return `kubectl delete ${plural}.${group} ${name}${at} --cascade=orphan`;
}
