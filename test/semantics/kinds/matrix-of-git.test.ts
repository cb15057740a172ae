import { matrixOfGit } from './matrix-of-git.ts';
import { playMatrixOfGit } from './play-matrix-of-git.ts';

playMatrixOfGit(matrixOfGit);
