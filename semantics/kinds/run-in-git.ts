import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { UnitNouns } from './nouns.ts';

/** What the compiler reads of a manifest that creates something at the times of a schedule. */
export interface GitSchedule {
  /** A new object waits for its plan, too: what it creates runs on every node. */
  isGated: boolean;
  /** A CronJob of Kubernetes would do the same. */
  isNativeEnough: boolean;
  /** The template of the pods of what is created; undefined: it has none. */
  podTemplate: JsonObject | undefined;
  /** What is wrong with the steps of a plan, by their ids. */
  stepFaults(steps: readonly Step[]): readonly StepFault[];
  /** Each time runs once on each unit; undefined: it does not. */
  runs: GitRuns | undefined;
}

/** What the compiler reads of a manifest whose children run once on each unit. */
export interface GitRuns {
  run: GitRun;
  nouns: UnitNouns;
  /** What is wrong with the waves that each of them goes through, as sentences with what to do. */
  waveFaults(steps: readonly Step[]): readonly string[];
}

/** A step that means nothing for a target. */
export interface StepFault {
  step: string;
  /** What is wrong with it and what to write instead, as sentences. */
  message: string;
}

/** What the compiler reads of a manifest whose pods run once on each unit. */
export interface GitRun {
  /** How many units may run at a time, of those that fit. */
  parallelism: IntOrPercent;
  /** It goes on when it has failed on a unit. */
  toleratesFailure: boolean;
  /** Units that join after its end run, too. */
  isEndless: boolean;
  /** What fails the run after a time; a plan does not apply it. Undefined: nothing. */
  deadline: TimedField | undefined;
  /** What deletes the object some time after its end, which a plan does not apply either. Undefined: nothing. */
  ttl: TimedField | undefined;
  words: RunWords;
}

/** How reviewers read what a run does on its units: the kind has the words, as one runs a program and another one none. */
export interface RunWords {
  /** What it does, as a sentence. */
  sentence: string;
  /** The same in a title. */
  title: string;
  /** What there is of another run before it, as a sentence. */
  another: string;
  /** What differs from that one, in a title. */
  changed: string;
  /** What the run does to its units: `runs on`. */
  does: string;
  /** What the units do: `run it`. */
  unitsDo: string;
  /** What stops it: `A failed pod`. */
  failure: string;
  /** What its pods may do where they ask for nothing of their unit, as a sentence. */
  confined: string;
  /** Why it cannot go back, as a clause. */
  irreversible: string;
}

/** A field that is a number of seconds. */
export interface TimedField {
  path: string[];
  seconds: number;
}
