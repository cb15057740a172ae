import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Parent, PARENTS, protectionFact, recordedFact } from '../../semantics/protection/contents.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';
import { resourceName } from '../../semantics/protection/resources.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { createReflector, type Reflector } from '../observe/reflector.ts';
import { type Children, sourcesId, watchChildren } from './contents.ts';

/** The field manager of the two annotations: it owns them, and nothing else. */
const MANAGER = 'kruise-protection';

const CASCADING = `${PROTECTION_LABEL}=Cascading`;
const RETRY_MS = { first: 5_000, most: 60_000 };

export interface ProtectionOptions {
  cluster: Cluster;
  clock: Clock;
  random?: (() => number) | undefined;
  /** A request was refused or failed; it is tried again. */
  onError?: ((plural: string, error: unknown) => void) | undefined;
}

/** Notes on protected Namespaces and definitions what is in them, for the policy that refuses their deletion. */
export interface Protection {
  /** Does nothing if it has begun. */
  start(): void;
  /** Sends nothing any more. Resolves once the writes in flight have ended. */
  stop(): Promise<void>;
}

/** One protected object. */
interface Entry {
  parent: Parent;
  object: KubeObject;
  children: Children;
  ended: boolean;
  /** A write is in flight; `Again`: something has changed meanwhile. */
  writing: false | true | 'Again';
  pauseMs: number;
  cancelRetry(): void;
}

/**
 * Level-triggered: what is recorded is compared with what is there, after each change of either. The record is missing as long as
 * nobody has looked, and again when one cannot look: then the policy refuses.
 */
export function createProtection({ cluster, clock, random, onError }: ProtectionOptions): Protection {
  const entries = new Map<string, Entry>();
  const inFlight = new Set<Promise<void>>();
  let reflectors: Reflector[] = [];
  let stopped = false;

  const report = (plural: string, error: unknown): void => {
    if (!stopped) onError?.(plural, error);
  };

  function follow(parent: Parent): Reflector {
    return createReflector({
      ...{ cluster, clock, resource: parent.resource },
      ...(random !== undefined && { random }),
      labelSelector: () => CASCADING,
      transform: withoutSchemas,
      onChange: (object, gone) => (gone ? leave(parent, object) : see(parent, object)),
      onSync() {},
      onError: (error) => report(parent.resource.plural, error),
    });
  }

  function see(parent: Parent, object: KubeObject): void {
    const key = `${resourceName(parent.resource)} ${object.metadata.name}`;
    const known = entries.get(key);
    const sources = parent.sources(object);
    if (known !== undefined) {
      const isSameObject = known.object.metadata.uid === object.metadata.uid;
      if (isSameObject && known.children.id === sourcesId(sources)) {
        known.object = object;
        look(known);
        return;
      }
      end(known);
    }
    const onChange = (): void => look(entry);
    const entry: Entry = {
      ...{ parent, object, ended: false, writing: false, pauseMs: RETRY_MS.first, cancelRetry() {} },
      children: watchChildren(sources, { cluster, clock, random, onChange, onError: report }),
    };
    entries.set(key, entry);
    look(entry);
  }

  /** It is gone, or has lost its label. */
  function leave(parent: Parent, object: KubeObject): void {
    const key = `${resourceName(parent.resource)} ${object.metadata.name}`;
    const entry = entries.get(key);
    entries.delete(key);
    if (entry !== undefined) end(entry);
    send(async () => {
      const present = await cluster.get(parent.resource, { name: object.metadata.name });
      const isFree = present.metadata.labels?.[PROTECTION_LABEL] !== 'Cascading';
      // What a later label finds must be seen anew.
      if (isFree && Object.keys(recordedFact(present)).length > 0) await write(parent, present, {});
    }, parent);
  }

  function end(entry: Entry): void {
    entry.ended = true;
    entry.cancelRetry();
    entry.children.stop();
  }

  function look(entry: Entry): void {
    const { object, children, parent } = entry;
    if (entry.ended || object.metadata.deletionTimestamp !== undefined) return;
    const present = children.present();
    if (present === undefined) return;
    if (entry.writing !== false) {
      entry.writing = 'Again';
      return;
    }
    const fact = protectionFact(object.metadata.uid ?? '', present === 'Unknown' ? undefined : present);
    if (isSame(fact, recordedFact(object))) return;
    entry.writing = true;
    entry.cancelRetry();
    send(async () => {
      try {
        const { annotations } = (await write(parent, object, fact)).metadata;
        entry.pauseMs = RETRY_MS.first;
        const { annotations: _before, ...metadata } = entry.object.metadata;
        entry.object = { ...entry.object, metadata: { ...metadata, ...(annotations && { annotations }) } };
      } catch (error) {
        // The watch shows what it is now.
        if (!isConflictOrNotFound(error)) report(parent.resource.plural, error);
        retry(entry);
      } finally {
        const again = entry.writing === 'Again';
        entry.writing = false;
        if (again) look(entry);
      }
    }, parent);
  }

  function retry(entry: Entry): void {
    entry.cancelRetry();
    if (entry.ended) return;
    entry.cancelRetry = clock.after(entry.pauseMs, () => look(entry));
    entry.pauseMs = Math.min(entry.pauseMs * 2, RETRY_MS.most);
  }

  async function write(
    { resource }: Parent,
    { metadata: { name, uid = '' } }: KubeObject,
    annotations: Record<string, string>,
  ): Promise<KubeObject> {
    const { group, version, kind } = resource;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const body: JsonObject = { apiVersion, kind, metadata: { name, uid, annotations } };
    return cluster.patch(
      resource,
      { name },
      { type: 'apply', body, force: true },
      { fieldManager: MANAGER, answer: 'metadata' },
    );
  }

  function send(work: () => Promise<void>, { resource }: Parent): void {
    if (stopped) return;
    const sent = work()
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status.code !== 404) report(resource.plural, error);
      })
      .finally(() => void inFlight.delete(sent));
    inFlight.add(sent);
  }

  return {
    start() {
      if (stopped || reflectors.length > 0) return;
      reflectors = PARENTS.map(follow);
      for (const reflector of reflectors) reflector.start();
    },
    async stop() {
      stopped = true;
      for (const reflector of reflectors) reflector.stop();
      for (const entry of entries.values()) end(entry);
      await Promise.all(inFlight);
    },
  };
}

/** A definition without its schemas, which nobody reads. */
function withoutSchemas(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec } = object;
  const { managedFields: _left, ...rest } = metadata;
  const { group, scope, names, versions } = (spec ?? {}) as Record<string, unknown>;
  const stored = Array.isArray(versions)
    ? versions.map(({ name, storage }: { name: string; storage: boolean }) => ({ name, storage }))
    : undefined;
  return {
    apiVersion,
    kind,
    metadata: rest,
    ...(stored !== undefined && { spec: { group, scope, names, versions: stored } }),
  };
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
