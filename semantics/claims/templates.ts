import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreateAction } from '../decision.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
import { CLAIM_TEMPLATES_ANNOTATION, type Revision } from '../revision/revision.ts';
import { objectsIn, parsedJson } from '../values/json-shape.ts';
import type { ClaimNaming } from './naming.ts';
import { allClaimsOf, claimNameOf, type ClaimsView, templateName } from './unit.ts';

/** Whether pods of the target have claims of their own, by its spec or by the records on its revisions. */
export function hasClaims(
  target: KubeObject,
  revisions: readonly KubeObject[],
  { foreignAnnotation }: ClaimNaming,
): boolean {
  const { volumeClaimTemplates: templates } = (target['spec'] ?? {}) as JsonObject;
  if (Array.isArray(templates) && templates.length > 0) return true;
  return revisions.some(({ metadata: { annotations = {} } }) =>
    [CLAIM_TEMPLATES_ANNOTATION, foreignAnnotation].some(
      (key) => key !== undefined && Boolean(annotations[key]),
    ),
  );
}

/** The names of all claim templates of a target: in its spec, and in the records on its revisions. */
export function claimTemplateNames(target: KubeObject, revisions: readonly KubeObject[]): string[] {
  const { volumeClaimTemplates: live } = (target['spec'] ?? {}) as JsonObject;
  const recorded = revisions.map(({ metadata }) =>
    parsedJson(metadata.annotations?.[CLAIM_TEMPLATES_ANNOTATION] ?? ''),
  );
  const templates = [live, ...recorded].flatMap((list) => objectsIn(list) as JsonObject[]);
  return [...new Set(templates.map(templateName))].filter((name) => name !== '').sort();
}

/**
 * The claim templates of a pod of this revision: those recorded on the revision. Without a record it had none, or OpenKruise
 * created it: then those of the live templates that the pod needs.
 */
export function claimTemplatesOf(
  { spec, claimNaming: { foreignAnnotation } }: Pick<ClaimsView, 'spec' | 'claimNaming'>,
  revision: Revision,
): readonly JsonObject[] {
  if (revision.claimTemplates !== undefined) return revision.claimTemplates;
  const live = spec.volumeClaimTemplates;
  if (foreignAnnotation !== undefined && revision.object.metadata.annotations?.[foreignAnnotation])
    return live;
  return live.filter((template) => lacksVolume(revision.template, templateName(template)));
}

/** Whether a container of the template mounts a volume of this name that the template does not have. */
function lacksVolume(template: JsonObject, volume: string): boolean {
  const isNamed = ({ name }: JsonObject): boolean => name === volume;
  const named = (object: JsonObject, list: string): JsonObject[] => (object[list] ?? []) as JsonObject[];
  const spec = (template['spec'] ?? {}) as JsonObject;
  const mounts = ['containers', 'initContainers']
    .flatMap((list) => named(spec, list))
    .flatMap((container) => [...named(container, 'volumeMounts'), ...named(container, 'volumeDevices')]);
  return mounts.some(isNamed) && !named(spec, 'volumes').some(isNamed);
}

/** The volumes of a pod with claims. The volume of a claim replaces one of the template with the same name. */
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
 * Creates the missing claims of a pod one after the other, and then the pod. It is not created without them.
 *
 * @param id the id of the pod and its claims
 * @param annotations annotations of each new claim, in addition to those of its template
 */
export function withMissingClaims(
  view: ClaimsView,
  revision: Revision,
  pod: CreateAction,
  { id, annotations }: { id: string; annotations: Readonly<Record<string, string>> },
): CreateAction {
  return missingClaims(view, revision, { id, annotations }).reduceRight<CreateAction>(
    (next, claim) => ({ ...claim, next }),
    pod,
  );
}

/** The creations of the claims that a pod of this revision lacks. */
export function missingClaims(
  view: ClaimsView,
  revision: Revision,
  { id, annotations }: { id: string; annotations: Readonly<Record<string, string>> },
): CreateAction[] {
  const there = new Set(allClaimsOf(view, id).map(({ metadata }) => metadata.name));
  return claimTemplatesOf(view, revision)
    .filter((template) => !there.has(claimNameOf(view.target, template, id)))
    .map((template) => ({
      do: 'create',
      kind: 'PersistentVolumeClaim',
      verb: 'create claim',
      object: newClaim(view, template, id, annotations),
      reason: 'its pod needs it',
    }));
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
