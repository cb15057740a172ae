import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../api/metadata.ts';
import { attempt } from '../api/attempt.ts';
import type { ResourceType } from '../api/registry.ts';
import { typeOfDefinition } from '../schema/definition.ts';
import { cleanupFinalizer, conditionOf, withCondition } from '../schema/definitionRules.ts';
import type { Commit } from '../store/history.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { createWorkQueue } from './workQueue.ts';

const user = 'system:apiserver';
const definitionsId = 'customresourcedefinitions.apiextensions.k8s.io';
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

type Acceptance = Pick<Condition, 'reason' | 'message'> | undefined;

function listKind(type: ResourceType): string {
  return type.listKind ?? `${type.kind}List`;
}

/** Why the names of a definition conflict with others of its group; undefined if they do not. */
function conflictOf(type: ResourceType, others: readonly ResourceType[]): Acceptance {
  const names = new Set(
    others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(others.flatMap((other) => [other.kind, listKind(other)]));
  const inUse = (name: string) => ({ message: `${JSON.stringify(name)} is already in use` });
  // The last conflict is reported.
  if (kinds.has(listKind(type))) return { reason: 'ListKindConflict', ...inUse(listKind(type)) };
  if (kinds.has(type.kind)) return { reason: 'KindConflict', ...inUse(type.kind) };
  const short = type.shortNames.find((name) => names.has(name));
  if (short !== undefined) return { reason: 'ShortNamesConflict', ...inUse(short) };
  if (names.has(type.singular)) return { reason: 'SingularConflict', ...inUse(type.singular) };
  return names.has(type.plural) ? { reason: 'PluralConflict', ...inUse(type.plural) } : undefined;
}

/**
 * Serves CustomResourceDefinitions: registers their types immediately, reports name conflicts, and finalizes a
 * deleted definition once its objects are gone. Starts before the store is replayed.
 */
export function startDefinitions(context: ControllerContext): () => void {
  const { store, registry, server, clock, timings } = context;
  const enqueue = createWorkQueue(clock);

  function writeStatus(name: string, conditions: Condition[], also: object = {}): void {
    // A merge patch, so that other parts of the status are preserved.
    const body = { status: { conditions: conditions.map((each) => ({ ...each })), ...also } };
    attempt(() =>
      server.patch(user, definitions, { name }, { type: 'merge', body }, { subresource: 'status' }),
    );
  }

  function condition(type: string, status: 'True' | 'False', reported: NonNullable<Acceptance>): Condition {
    return { type, status, lastTransitionTime: timestamp(clock.now()), ...reported };
  }

  function reportNames(name: string, definition: KubeObject, conflict: Acceptance): void {
    const accepted = conflict === undefined;
    const named = withCondition(
      definition,
      condition(
        'NamesAccepted',
        accepted ? 'True' : 'False',
        conflict ?? { reason: 'NoConflicts', message: 'no conflicts found' },
      ),
    );
    const established = condition(
      'Established',
      accepted ? 'True' : 'False',
      accepted
        ? { reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
        : { reason: 'NotAccepted', message: 'not all names are accepted' },
    );
    const withNames = { ...definition, status: { conditions: named } };
    const names = accepted ? (fieldAt(definition, ['spec', 'names']) as object) : { plural: '', kind: '' };
    writeStatus(name, withCondition(withNames, established), { acceptedNames: names });
  }

  function otherDefinitionsOf(type: ResourceType): ResourceType[] {
    return registry.types().filter((other) => other.group === type.group && other.id !== type.id);
  }

  /** Registers the type of a definition if its names are free. The conditions follow a moment later. */
  function serve(definition: KubeObject): void {
    const type = typeOfDefinition(definition);
    const conflict =
      registry.byId(type.id) === undefined ? conflictOf(type, otherDefinitionsOf(type)) : undefined;
    if (conflict === undefined) registry.add(type);
    const isAccepted = conditionOf(definition, 'NamesAccepted')?.status === 'True';
    if (isAccepted !== (conflict === undefined)) soon(definition.metadata.name);
  }

  function retryRefused(): void {
    for (const definition of store.list(definitionsId))
      if (conditionOf(definition, 'NamesAccepted')?.status === 'False') serve(definition);
  }

  function emptyOf(type: ResourceType): boolean {
    const resource = { group: type.group, version: type.storageVersion, plural: type.plural };
    const served = [...type.versions.keys()];
    const version = served.includes(resource.version) ? resource.version : served[0];
    for (const object of store.list(type.id)) {
      if (object.metadata.deletionTimestamp !== undefined || version === undefined) continue;
      const { namespace, name } = object.metadata;
      const at = { name, ...(namespace === undefined ? {} : { namespace }) };
      attempt(() => server.delete(user, { ...resource, version }, at));
    }
    return store.list(type.id).length === 0;
  }

  function cleanUp(name: string, definition: KubeObject): void {
    const { finalizers = [] } = definition.metadata;
    if (!finalizers.includes(cleanupFinalizer)) return;
    if (!emptyOf(typeOfDefinition(definition))) {
      const reported = {
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      };
      if (conditionOf(definition, 'Terminating') === undefined)
        writeStatus(name, withCondition(definition, condition('Terminating', 'True', reported)));
      return;
    }
    const left = finalizers.filter((each) => each !== cleanupFinalizer);
    const body = { metadata: { finalizers: left.length === 0 ? null : left } };
    server.patch(user, definitions, { name }, { type: 'merge', body });
  }

  function work(name: string): void {
    const definition = store.read(definitionsId, '', name);
    if (definition === undefined) return;
    if (definition.metadata.deletionTimestamp !== undefined) {
      cleanUp(name, definition);
      return;
    }
    const type = typeOfDefinition(definition);
    const conflict =
      registry.byId(type.id) === undefined ? conflictOf(type, otherDefinitionsOf(type)) : undefined;
    reportNames(name, definition, conflict);
  }

  function soon(name: string): void {
    enqueue(name, timings.collectMs, () => work(name));
  }

  function seeDefinition({ type, object }: Commit): void {
    if (type === 'DELETED') {
      registry.remove(typeOfDefinition(object).id);
      retryRefused();
      return;
    }
    serve(object);
    if (object.metadata.deletionTimestamp !== undefined) soon(object.metadata.name);
  }

  function seeObject({ type, resource }: Commit): void {
    if (type !== 'DELETED' || registry.byId(resource)?.terminating !== true) return;
    soon(resource);
  }

  const stops = [store.follow(definitionsId, seeDefinition), store.followAll(seeObject)];
  return () => {
    for (const stop of stops) stop();
  };
}
