import type { KubeObject } from '../../schemas/wire/object.ts';
import { POLICY_ANNOTATION } from '../../semantics/policy.ts';
import { partialMetadata } from './partial-metadata.ts';

/** The policies of namespaces, the labels by which targets select them, and whether they are being deleted. */
export interface Policies {
  /** A namespace reduced to its policy, its labels and the time of its deletion. */
  keep(namespace: KubeObject): KubeObject;
  /**
   * Stores what is kept of a namespace. Returns what has changed: for the targets in it (`own`), its labels, or (`state`) its labels
   * and whether it exists and stays.
   */
  file(namespace: KubeObject, gone: boolean): { own: boolean; labels: boolean; state: boolean };
  /** The namespace is being deleted: the server creates nothing there any more. */
  isTerminating(namespace: string): boolean;
  /** The server has answered that it is. The watch of namespaces may be late, and one namespace is polled. */
  noteTerminating(namespace: string): void;
}

/** @param onNoted is called where an answer has said for the first time that a namespace is being deleted */
export function createPolicies(onNoted: (namespace: string) => void): Policies {
  const policies = new Map<string, string | undefined>();
  const labels = new Map<string, string>();
  const uids = new Map<string, string | undefined>();
  /** The uid that each of them had when that was known. */
  const terminating = new Map<string, string | undefined>();
  const staying = new Set<string>();
  return {
    keep({ apiVersion, kind, metadata }) {
      const policy = metadata.annotations?.[POLICY_ANNOTATION];
      return {
        apiVersion,
        kind,
        metadata: partialMetadata(metadata, {
          ...(metadata.deletionTimestamp !== undefined && { deletionTimestamp: metadata.deletionTimestamp }),
          ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
          ...(policy === undefined ? {} : { annotations: { [POLICY_ANNOTATION]: policy } }),
        }),
      };
    },
    file({ metadata }, gone) {
      const policy = gone ? undefined : metadata.annotations?.[POLICY_ANNOTATION];
      const isNew = policies.get(metadata.name) !== policy;
      const isEnding = !gone && metadata.deletionTimestamp !== undefined;
      const wasEnding = terminating.has(metadata.name);
      if (gone) uids.delete(metadata.name);
      else uids.set(metadata.name, metadata.uid);
      // A deletion cannot be taken back: one without it is another of that name, or an older state of what was noted.
      if (isEnding) terminating.set(metadata.name, metadata.uid);
      else if (gone || terminating.get(metadata.name) !== metadata.uid) terminating.delete(metadata.name);
      if (policy === undefined) policies.delete(metadata.name);
      else policies.set(metadata.name, policy);
      const text = gone ? undefined : JSON.stringify(metadata.labels ?? {});
      const isOther = labels.get(metadata.name) !== text;
      if (text === undefined) labels.delete(metadata.name);
      else labels.set(metadata.name, text);
      const stays = !gone && !isEnding;
      const isChanged = staying.has(metadata.name) !== stays;
      if (stays) staying.add(metadata.name);
      else staying.delete(metadata.name);
      return {
        // Its end, too: what was created in the next one of that name may have been seen before it.
        own: isNew || wasEnding !== terminating.has(metadata.name),
        labels: isOther,
        state: isChanged || isOther,
      };
    },
    isTerminating: (namespace) => terminating.has(namespace),
    noteTerminating(namespace) {
      const isNew = !terminating.has(namespace);
      terminating.set(namespace, uids.get(namespace));
      if (isNew) onNoted(namespace);
    },
  };
}
