import type { CompileInput } from '../../compiler/compile.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { WholeBase } from '../../compiler/plan/moved.ts';
import type { RootReview } from '../../compiler/review/of-roots.ts';
import type { NewerState } from '../../compiler/plan/newer-base.ts';
import type { GitError } from '../git/git-error.ts';
import type { Repository } from '../git/repository.ts';

/** A state of a repository: a commit, or `index` for what is staged. */
export interface StateInGit {
  repository: Repository;
  commit: string;
}

/** The two states that a plan compares, and what they are read from. */
export interface Compared extends Pick<
  CompileInput,
  'head' | 'base' | 'baseHost' | 'otherRoots' | 'earlierPlans' | 'isHistoryCut'
> {
  /** What head is read from. */
  host: CompilerHost;
  /** False where head is a commit: its plans lie in no folder that could be written. */
  isWritable: boolean;
  /** What is worth saying of the base before anything else. */
  notes: readonly string[];
  /** The state of the branch that the change goes to, where the base is another one. */
  newer: NewerInGit | undefined;
  /** What to say if nothing differs, where the base that was found is head itself. */
  ifUnchanged?: (() => string | undefined) | undefined;
  /** Why the base is refused, unless the user plans paths of it. */
  olderBase?: GitError | undefined;
  /** The whole state at base, if the run compares a part of it. */
  whole: WholeBase | undefined;
  /** What the user or CI calls the base; undefined if it is a folder or a file. */
  baseName?: string;
  /** The newest state of the branch that the change goes to, if it has moved on since head left it. */
  tip?: BranchTip | undefined;
  /** Head is a merge of the base into a branch that lacks it, as CI makes one for a check. */
  isMergeOfBase?: boolean;
  /** The working directory below the root of the repository; undefined without git. */
  folder?: string;
  /** The commit that the base is, if it comes from git. */
  tree?: StateInGit;
  /** Workloads of base that are in no root of head. */
  hidden?: readonly Diagnostic[];
  /** It is one of several roots; the caller reports problems of kruise.yaml. */
  isPart?: boolean;
  /** Called where it has nothing of what an option asks for, such as a plan to continue. */
  onUnmet?: () => void;
  /** Called with what the run found, before it is printed. */
  onReviewed?: (review: RootReview) => void;
  /** Another root has what such an option asks for: this one is planned without it. */
  isAskedElsewhere?: boolean;
}

/** That state, and the commit that it is. */
export interface NewerInGit extends NewerState {
  tree: StateInGit;
}

/** The newest state of a branch. */
export interface BranchTip {
  branch: string;
  /** What it is read from, which is listed when it is needed first. */
  host: () => CompilerHost;
  /** The same places as those of head. */
  state: State;
}
