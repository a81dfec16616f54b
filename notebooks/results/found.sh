# Sets found[GRAPH] to the flags of the structure that whole-space.sh found on a small graph, with its
# settings.
declare -A found=(
  [nations]="--structure=1,-2,3,0;0,2,0,4;3,0,2,0;0,4,0,2 --recipe basic --epochs 60 --validate-every 3 --reciprocal
    --dim 512 --batch 64 --lr 0.2 --n3 0.01 --n3-block 2 --entity-l2 0.002 --products 0.002 --penalty-frequency 1"
  [umls]="--structure=1,0,0,0,0,0,-5,0;0,8,0,0,0,0,0,0;0,0,8,0,0,0,0,0;0,0,0,6,0,0,0,0;0,0,0,0,5,0,7,0;0,0,0,0,0,6,0,2;0,0,0,0,-3,0,-8,0;0,0,0,0,0,-4,0,6
    --recipe basic --epochs 60 --validate-every 3 --reciprocal --dim 256 --batch 128 --lr 0.3 --n3 0.01 --n3-block 2
    --relation-n3 0.005 --penalty-frequency 1 --relation-prediction 0.125"
)
