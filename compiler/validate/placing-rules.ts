import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import { withTemplateDefaults } from '../../schemas/pods/podDefaults.ts';
import { checkPodTemplate } from '../../schemas/pods/podTemplate.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { SpreadInGit } from '../../semantics/kinds/standing-git.ts';
import { isAutoscaled, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { isSameWorkload } from '../../semantics/pod/workload.ts';
import { listOf, numberOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import { hasGate, nativeTemplate } from '../load/gates.ts';
import type { Locator } from '../load/locate.ts';
import type { StandingManifest } from '../load/manifest.ts';
import type { Loaded } from '../load/manifests.ts';
import type { SpreadTable } from '../plan/at-once.ts';
import { shownName } from '../plan/target.ts';
import type { Protected } from './disruption-rules.ts';
import { isNativeTarget, nativeTarget, type NativeWorkloads } from './gate-rules.ts';
import { formatPath } from './schema-errors.ts';
import { hasValidShape } from './valid-shape.ts';
import { locateIn } from './validate.ts';

/** An object that places pods, with its workload in git. */
interface Placing {
  manifest: StandingManifest;
  spreads: SpreadInGit;
  /** Undefined: git has no manifest of it. */
  target: PlacedWorkload | undefined;
}

/** A workload whose pods are placed. */
interface PlacedWorkload {
  /** That of a target with plans; none of any other. */
  ids: readonly string[];
  object: KubeObject;
  /** Undefined: its pods are made from none. */
  template: JsonObject | undefined;
  /** How many pods it is to have by git; undefined: git does not say it. */
  size: number | undefined;
}

/** The objects that place pods of workloads of their namespace. */
function placingIn(
  standing: Iterable<StandingManifest>,
  targets: Iterable<Protected>,
  natives: NativeWorkloads,
): Placing[] {
  const all = [...targets];
  return [...standing].flatMap((manifest) => {
    const spreads = hasValidShape(manifest) ? manifest.type.git.spreads(manifest.object) : undefined;
    if (spreads === undefined) return [];
    const target = all.find(
      ({ manifest: { type, name, namespace } }) =>
        namespace === manifest.namespace && isSameWorkload({ ...type.id, name }, spreads.target),
    );
    if (target !== undefined) return [{ manifest, spreads, target: ofTarget(target) }];
    const native = nativeTarget(manifest, spreads, natives);
    return [{ manifest, spreads, target: native && ofNative(native) }];
  });
}

function ofTarget({ manifest, normal }: Protected): PlacedWorkload {
  return {
    ids: [manifest.id],
    object: manifest.object,
    template: podTemplateOf(normal),
    size: isAutoscaled(normal.units) ? undefined : wantedReplicas(normal.units),
  };
}

/** Without a number of its own, an autoscaler may set it. */
function ofNative(workload: JsonObject): PlacedWorkload {
  const { replicas, parallelism } = objectOf(workload['spec']);
  return {
    ids: [],
    object: workload as unknown as KubeObject,
    template: nativeTemplate(workload),
    size: numberOf(replicas) ?? numberOf(parallelism),
  };
}

/**
 * What is wrong between objects that place pods and their workloads: caps that leave pods out, patches that do not fit the template, and
 * workloads that git does not have. None if there are errors, because a workload may be in a file that was not read.
 */
export function placingRules(
  { standing, diagnostics }: Pick<Loaded, 'standing' | 'diagnostics'>,
  targets: Iterable<Protected>,
  natives: NativeWorkloads,
  locator: Locator,
): SharedDiagnostic[] {
  if (standing.size === 0 || hasErrors(diagnostics)) return [];
  return placingIn(standing.values(), targets, natives).flatMap((each): SharedDiagnostic[] => {
    const { manifest, spreads, target } = each;
    const locate = locateIn(manifest, locator);
    const object = `${manifest.kind} ${shownName(manifest)}`;
    const workload = `${spreads.target.kind} ${spreads.target.name}`;
    if (target === undefined) {
      // Manifests of other kinds are not read: whether git has this one is not known.
      if (!isNativeTarget(manifest, spreads) && kindOf(spreads.target) === undefined) return [];
      const position = locate([...spreads.targetPath], 'value');
      return [{ ids: [], found: diagnostic('KR2233', { object, workload }, position) }];
    }
    const { ids, template } = target;
    const faults =
      template === undefined ? [] : spreads.faults(target.object, template, errorsWith(target.object));
    const left = leftOut(each);
    const { gate } = spreads;
    const lacks = gate !== undefined && !hasGate(target.object as unknown as JsonObject, gate);
    return [
      ...(lacks
        ? [
            {
              ids,
              found: diagnostic(
                'KR2236',
                { object, workload, gate },
                locate([...spreads.targetPath], 'value'),
              ),
            },
          ]
        : []),
      ...faults.map(({ path, rule }) => ({
        ids,
        found: diagnostic('KR2234', { workload, rule: `${path.join('.')} ${rule}` }, locate(path, 'key')),
      })),
      ...(left === undefined
        ? []
        : [
            {
              ids,
              found: diagnostic(
                'KR2235',
                { object, workload, ...left },
                locate([...spreads.lastPath], 'value'),
              ),
            },
          ]),
    ];
  });
}

/**
 * What a server would say of a template of pods, which have a volume of each claim of their workload, too. Of one whose fields have other
 * types nothing else can be told.
 */
function errorsWith({ spec: workload }: KubeObject): (template: JsonObject) => string[] {
  const claims = listOf(objectOf(workload)['volumeClaimTemplates']).map(({ metadata }) => {
    const name = textOf(objectOf(metadata)['name']);
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  return (template) => {
    const spec = objectOf(template['spec']);
    const volumes = [...listOf(spec['volumes']), ...claims];
    return errorsIn(claims.length === 0 ? template : { ...template, spec: { ...spec, volumes } });
  };
}

function errorsIn(template: JsonObject): string[] {
  const shape = validatePodTemplate(template).map(({ path, message }) => `${formatPath(path)} ${message}`);
  if (shape.length > 0) return shape;
  const spec = withTemplateDefaults(objectOf(template['spec']) as unknown as PodSpec);
  return checkPodTemplate({ ...template, spec }, 'pod').map(({ field, message }) => `${field}: ${message}`);
}

/** How many pods have a place where there is a cap for each; undefined: for all that come. */
function leftOut({ spreads, target }: Placing): { room: number; wanted: number | undefined } | undefined {
  const size = sizeOf({ spreads, target });
  const caps = spreads.most(size ?? 0).map(({ most }) => most);
  if (caps.includes(undefined) || (spreads.followsSize && size === undefined)) return undefined;
  const room = caps.reduce<number>((sum, most) => sum + (most ?? 0), 0);
  // Percentages grow with the workload.
  if (spreads.followsSize && size !== undefined && room >= size) return undefined;
  return { room, wanted: size };
}

/** How many pods there are to be by git; undefined: something else says it. */
function sizeOf({ spreads, target }: Pick<Placing, 'spreads' | 'target'>): number | undefined {
  return spreads.isSized ? target?.size : undefined;
}

/** Where an object places the pods that its workload has by git; undefined: nowhere, or git does not say how many. */
export function spreadsOf(
  { standing }: Pick<Loaded, 'standing'>,
  targets: Iterable<Protected>,
  natives: NativeWorkloads,
): (manifest: StandingManifest) => SpreadTable | undefined {
  const known = new Map(
    placingIn(standing.values(), targets, natives).map((each) => [each.manifest.id, each]),
  );
  return ({ id }) => {
    const placing = known.get(id);
    const size = placing && sizeOf(placing);
    if (placing === undefined || size === undefined) return undefined;
    const { target, most } = placing.spreads;
    return { workload: `${target.kind} ${target.name}`, size, rows: most(size) };
  };
}
