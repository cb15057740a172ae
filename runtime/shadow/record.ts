import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { equalRevision } from '../../semantics/revision/revisions.ts';

/** What would have been put on record in ControllerRevisions, kept beside those that are there. */
export interface ShadowRecord {
  /** The revisions as they would be now. */
  over(real: readonly KubeObject[]): KubeObject[];
  /** Takes a create or a patch as done. What is deleted stays: it is another's to delete. */
  apply(action: Action): void;
}

interface Note {
  annotations: JsonObject;
  revision: number | undefined;
}

export function createShadowRecord(): ShadowRecord {
  const made = new Map<string, KubeObject>();
  const notes = new Map<string, Note>();
  /** One object for one state: what is computed of a revision is kept with the object. */
  const shown = new Map<string, { real: KubeObject; note: Note; object: KubeObject }>();

  function noted(real: KubeObject): KubeObject {
    const { name } = real.metadata;
    const note = notes.get(name);
    if (note === undefined) return real;
    const known = shown.get(name);
    if (known?.real === real && known.note === note) return known.object;
    const { annotations, revision } = note;
    const object = patched(real, { metadata: { annotations }, ...(revision !== undefined && { revision }) });
    shown.set(name, { real, note, object });
    return object;
  }

  return {
    over(real) {
      for (const [name, object] of made) {
        const same = real.find((each) => equalRevision(each, object));
        if (same === undefined) continue;
        // The manager has made one of the same content by now: what was noted on ours holds for it.
        made.delete(name);
        const note = notes.get(name) ?? { annotations: {}, revision: undefined };
        notes.delete(name);
        const annotations = { ...object.metadata.annotations, ...note.annotations };
        if (Object.keys(annotations).length > 0)
          notes.set(same.metadata.name, { annotations, revision: undefined });
      }
      return [...real, ...made.values()].map(noted);
    },
    apply(action) {
      if (action.do === 'create') {
        const { object } = action;
        const metadata = { ...object.metadata, uid: 'shadow', resourceVersion: '0' };
        made.set(object.metadata.name, { ...object, metadata });
      } else if (action.do === 'patch') {
        const { revision, metadata } = action.body as { revision?: number; metadata?: JsonObject };
        const before = notes.get(action.name);
        notes.set(action.name, {
          annotations: { ...before?.annotations, ...(metadata?.['annotations'] as JsonObject | undefined) },
          revision: revision ?? before?.revision,
        });
      }
    },
  };
}
