import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreateAction } from '../decision.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
import { CLAIM_TEMPLATES_ANNOTATION, type Revision } from '../revision/revision.ts';
import type { ClaimNaming } from './naming.ts';
import { allClaimsOf, claimNameOf, type ClaimsView, templateName } from './unit.ts';

/** Whether pods of the target have claims of their own, now or by what its revisions remember. */
export function hasClaims(
  target: KubeObject,
  revisions: readonly KubeObject[],
  { foreignNote }: ClaimNaming,
): boolean {
  const { volumeClaimTemplates: templates } = (target['spec'] ?? {}) as JsonObject;
  if (Array.isArray(templates) && templates.length > 0) return true;
  return revisions.some(({ metadata: { annotations = {} } }) =>
    [CLAIM_TEMPLATES_ANNOTATION, foreignNote].some((key) => key !== undefined && Boolean(annotations[key])),
  );
}

/**
 * The claim templates of a pod of this revision: those last seen beside its template. Where none are on record it had none,
 * or was left by OpenKruise: of the live ones, then, those that it cannot do without.
 */
export function claimTemplatesOf(
  { spec, claimNaming: { foreignNote } }: Pick<ClaimsView, 'spec' | 'claimNaming'>,
  revision: Revision,
): readonly JsonObject[] {
  if (revision.claimTemplates !== undefined) return revision.claimTemplates;
  const live = spec.volumeClaimTemplates;
  if (foreignNote !== undefined && revision.object.metadata.annotations?.[foreignNote]) return live;
  return live.filter((template) => lacksVolume(revision.template, templateName(template)));
}

/** A container of the template mounts a volume of this name, and the template has none. */
function lacksVolume(template: JsonObject, volume: string): boolean {
  const isNamed = ({ name }: JsonObject): boolean => name === volume;
  const named = (object: JsonObject, list: string): JsonObject[] => (object[list] ?? []) as JsonObject[];
  const spec = (template['spec'] ?? {}) as JsonObject;
  const mounts = ['containers', 'initContainers']
    .flatMap((list) => named(spec, list))
    .flatMap((container) => [...named(container, 'volumeMounts'), ...named(container, 'volumeDevices')]);
  return mounts.some(isNamed) && !named(spec, 'volumes').some(isNamed);
}

/** The volumes of a pod with claims: each stands for a volume of the template that has the same name. */
export function volumesWithClaims(
  target: KubeObject,
  templates: readonly JsonObject[],
  volumes: readonly JsonObject[],
  id: string,
): JsonObject[] {
  const own = templates.map((template) => ({
    name: templateName(template),
    persistentVolumeClaim: { claimName: claimNameOf(target, template, id) },
  }));
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...volumes.filter(({ name }) => !names.has(name as string))];
}

/**
 * Makes the claims of a pod that are not there yet, one after the other, and then the pod: it is not made without them.
 *
 * @param id of the pod, and of its claims
 * @param annotations that each new claim has beside those of its template
 */
export function withMissingClaims(
  view: ClaimsView,
  revision: Revision,
  pod: CreateAction,
  { id, annotations }: { id: string; annotations: Readonly<Record<string, string>> },
): CreateAction {
  const there = new Set(allClaimsOf(view, id).map(({ metadata }) => metadata.name));
  const missing = claimTemplatesOf(view, revision).filter(
    (template) => !there.has(claimNameOf(view.target, template, id)),
  );
  return missing.reduceRight<CreateAction>(
    (next, template) => ({
      do: 'create',
      kind: 'PersistentVolumeClaim',
      verb: 'create claim',
      object: newClaim(view, template, id, annotations),
      reason: 'its pod needs it',
      next,
    }),
    pod,
  );
}

function newClaim(
  { target, spec, claimNaming }: ClaimsView,
  template: JsonObject,
  id: string,
  annotations: Readonly<Record<string, string>>,
): KubeObject {
  const { namespace } = target.metadata;
  const { labels, ownerReferences } = claimNaming.newClaim(id, target);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimNameOf(target, template, id),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...carriedOver(template, 'labels', 'claim'), ...spec.selector.matchLabels, ...labels },
      annotations: { ...carriedOver(template, 'annotations', 'claim'), ...annotations },
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    },
    spec: template['spec'] ?? {},
  };
}
