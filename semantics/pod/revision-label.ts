const MAX_LABEL_LENGTH = 63;

/** The revision label of a pod: the name of the revision, or its hash if the name is too long for a label. */
export function revisionLabel(revision: { name: string; shortHash: string }): string {
  return revision.name.length <= MAX_LABEL_LENGTH ? revision.name : revision.shortHash;
}

/** Whether a revision label is that of the revision with this name, which ends in its hash: some kinds write the hash alone. */
export function isLabelOf(label: string, name: string): boolean {
  return label === name || (label !== '' && !label.includes('-') && name.endsWith(`-${label}`));
}

/**
 * Whether the `controller-revision-hash` label of a pod names this revision. Both are compared after their last `-`, so that
 * long (`web-6b7c9`) and short (`6b7c9`) labels are the same. (OpenKruise inplace-update, rule 6.6.)
 */
export function labelMatchesRevision(label: string | undefined, revision: string): boolean {
  return label !== undefined && label !== '' && shortHash(label) === shortHash(revision);
}

/** The part after the last `-`: the hash in the name of a revision, or in either form of a pod's label. */
export function shortHash(nameOrLabel: string): string {
  return nameOrLabel.slice(nameOrLabel.lastIndexOf('-') + 1);
}
