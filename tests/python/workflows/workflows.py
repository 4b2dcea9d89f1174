"""Twelve workflows of users of the SDDS toolkit, as chains of verbs and as calls of the old programs.

Both scripts of the shell print the same numbers, which `truth` knows from the input that `prepare` makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Workflow:
    """A workflow in both spellings. `truth` are the printed numbers, within `tolerance` (absolute)."""

    name: str
    prepare: str
    verbs: str
    old: str
    truth: Any
    tolerance: float = 1e-12
    has_texts: bool = False
    """Whether files have columns of texts."""


SHELL = Workflow(
    "a column reduced to a number",
    prepare="quire new beam.sdds 'x[m]=1e-3,-3e-3,2e-3'",
    verbs="""
        largest=$(quire run beam.sdds / stats 'm=largest(x)' / get m)
        echo $largest
        quire run beam.sdds / filter "abs(x) > 0.5 * $largest" / get 'count(x)'
    """,
    old="""
        largest=$(sddsprocess beam.sdds -pipe=out -process=x,largest,m | sdds2stream -pipe -parameters=m)
        echo $largest
        sddsprocess beam.sdds -pipe=out "-test=column,x abs 0.5 $largest * >" | sdds2stream -pipe -rows=bare
    """,
    truth=[3e-3, 2],
)

CHROMATICITY = Workflow(
    "chromaticity from pages of tracking",
    prepare="""
        quire new offsets.sdds 'delta=sequence(-0.02, 0.02, 5)'
        quire run new 'd=sequence(-0.02, 0.02, 1280, interval=256)' / define 'turn=row % 256' \\
            / define 'x[m]=1e-3*cos(2*pi*(0.22 - 5*d + 30*d**2)*turn)' \\
            / select turn,x / group 'every(256)' / write track.sdds
    """,
    verbs="""
        quire run track.sdds / tunes x --versus turn / pages merge / join offsets.sdds \\
            / fit x_frequency --versus delta --order 2 / write chromaticity.sdds
        quire get chromaticity.sdds x_frequency_intercept x_frequency_slope x_frequency_curvature
    """,
    old="""
        sddsnaff track.sdds -pipe=out -columns=turn,x -terminateSearch=frequencies=1 \\
            | sddscombine -pipe -merge | sddsxref -pipe offsets.sdds -take=delta \\
            | sddspfit -pipe=in chromaticity.sdds -columns=delta,xFrequency -terms=3
        sdds2stream chromaticity.sdds -parameters=Intercept,Slope,Curvature
    """,
    truth=[0.22, -5, 30],
    tolerance=1e-9,
)

QUADRATICS = Workflow(
    "a quadratic for each position",
    prepare="""
        quire run new 's=sequence(0, 2, 15, interval=5)' / define 'k=0.1*(row % 5 - 2)' \\
            / define 'x=1 + s + 2*k + 3*k**2' / select s,k,x / sort k / write scan.sdds
    """,
    verbs="""
        quire run scan.sdds / group s / fit x --versus k --order 2 / pages collapse \\
            / get s x_intercept x_slope x_curvature
    """,
    old="""
        sddssort scan.sdds -pipe=out -column=s -column=k | sddsbreak -pipe -changeOf=s \\
            | sddsprocess -pipe -process=s,first,s0 | sddspfit -pipe -columns=k,x -terms=3 \\
            | sddscollapse -pipe | sdds2stream -pipe -columns=s0,Intercept,Slope,Curvature
    """,
    truth=[[0, 1, 2, 3], [1, 2, 2, 3], [2, 3, 2, 3]],
)

DETUNING = Workflow(
    "detuning with amplitude",
    prepare="""
        quire run new 'turn=sequence(0, number=1280, delta=1, interval=5)' / define 'particle=row % 5' \\
            / define 'a=1e-3*(particle + 1)' 'nu=0.22 + 1000*a**2' \\
            / define 'x=a*cos(2*pi*nu*turn)' 'xp=-a*sin(2*pi*nu*turn)' \\
            / group turn / select particle,x,xp / write turns.sdds
    """,
    verbs="""
        quire run turns.sdds / pages swap / define 'J=mean(x**2 + xp**2)/2' / tunes x --pair xp \\
            / pages merge / fit x_frequency --versus J / get x_frequency_intercept x_frequency_slope
    """,
    old="""
        sddsprocess turns.sdds -pipe=out -define=column,Pass,turn | sddscombine -pipe -merge \\
            | sddssort -pipe -column=particle -column=Pass | sddsbreak -pipe -changeOf=particle \\
            | sddsprocess -pipe "-define=column,j,x sqr xp sqr + 2 /" -process=j,average,J \\
            | sddsnaff -pipe -columns=Pass -pair=x,xp -terminateSearch=frequencies=1 \\
            | sddsprocess -pipe -process=xFrequency,first,nux | sddscollapse -pipe \\
            | sddspfit -pipe -columns=J,nux -terms=2 | sdds2stream -pipe -parameters=Intercept,Slope
    """,
    truth=[0.22, 2000],
    tolerance=1e-5,
)

APERTURE = Workflow(
    "dynamic aperture over seeds",
    prepare="""
        quire run new 'lattice=sequence(1, 3, 21, interval=7)' / define 'ray=row % 7' 'angle=pi*ray/6' \\
            / define 'r[mm]=5 + ((lattice + ray) % 3)' / group lattice / select angle,r / write aperture.sdds
    """,
    verbs="""
        quire run aperture.sdds / pages swap / stats 'a=first(angle)' 'least=min(r)' 'mean=mean(r)' \\
            / get a least mean
    """,
    old="""
        sddsenvelope aperture.sdds -pipe=out -copy=angle -minimum=r -mean=r \\
            | sdds2stream -pipe -columns=angle,rMin,rMean
    """,
    truth=[[np.pi * ray / 6, 5, 6] for ray in range(7)],
)

SLICES = Workflow(
    "emittance of slices",
    prepare="""
        quire run new 't[s]=sequence(1e-13, 9e-13, 60, interval=12)' / define 'phase=2*pi*(row % 12)/12' \\
            / define 'x[m]=1e9*t*cos(phase)' 'xp=1e-4*sin(phase)' 'y[m]=x' 'yp=xp' 'p=1000.0 + 0*row' \\
            / select t,x,xp,y,yp,p / sort x / write bunch.sdds
    """,
    verbs="""
        quire run bunch.sdds / define 'slice=floor(t/2e-13)' / group slice / stats emittance_x \\
            / get emittance_x
    """,
    old="""
        sddssort bunch.sdds -pipe=out -column=t | sddsbreak -pipe -changeOf=t,amount=2e-13,base=0 \\
            | sddsprocess -pipe -process=x,average,x0 -process=xp,average,xp0 \\
                "-define=column,xx,x x0 - sqr" "-define=column,xpxp,xp xp0 - sqr" \\
                "-define=column,xxp,x x0 - xp xp0 - *" -process=xx*,average,%sMean \\
                -process=xpxp,average,%sMean \\
                "-define=parameter,ex,xxMean xpxpMean * xxpMean sqr - sqrt" \\
            | sddscollapse -pipe | sdds2stream -pipe -columns=ex
    """,
    truth=[1e9 * 1e-13 * (2 * part + 1) * 1e-4 / 2 for part in range(5)],
    tolerance=1e-18,
)

RESPONSE = Workflow(
    "a response matrix and kicks",
    prepare="""
        quire new response.sdds s=0,1,2 BPM=M1,M2,M3 C1=1,2,3 C2=2,1,0
        quire new kicks.sdds Corrector=C2,C1 kick=0.5,1
    """,
    verbs="""
        quire run response.sdds / select --drop s / write matrix.sdds
        quire run matrix.sdds / transpose --old-names Corrector / join kicks.sdds --on Corrector \\
            / select kick / write ordered.sdds
        quire run matrix.sdds / matrix product --by ordered.sdds / get kick
    """,
    old="""
        sddsconvert response.sdds matrix.sdds -delete=column,s
        sddstranspose matrix.sdds -pipe=out -oldColumnNames=Corrector \\
            | sddsxref -pipe kicks.sdds -match=Corrector -take=kick \\
            | sddsconvert -pipe=in ordered.sdds -retain=column,kick
        sddsmatrixmult matrix.sdds ordered.sdds -pipe=out | sdds2stream -pipe -columns=kick
    """,
    truth=[2, 2.5, 3],
    has_texts=True,
)

ERRORS = Workflow(
    "errors of elements",
    prepare="",
    verbs="""
        quire run new 'n=sequence(1, number=200, delta=1)' / text 'ElementName=Q{n:d}' \\
            / sample 'dx[m]=gaussian(0, 1e-4, 2)' --seed 7 / write errors.sdds
        quire get errors.sdds ElementName --rows 199: | tr -d Q
        quire get errors.sdds dx
    """,
    old="""
        sddssequence -pipe=out -define=n,type=long -sequence=begin=1,number=200,delta=1 \\
            | sddsprocess -pipe=in errors.sdds "-rpnExpression=7 srnd" "-print=column,ElementName,Q%ld,n" \\
                "-define=column,dx,2 grndl 1e-4 *,units=m"
        sddsprocess errors.sdds -pipe=out -clip=199,0 | sdds2stream -pipe -columns=ElementName | tr -d Q
        sdds2stream errors.sdds -columns=dx
    """,
    truth=lambda numbers: (
        numbers[0] == 200 and np.abs(numbers[1:]).max() < 2e-4 and abs(np.std(numbers[1:]) - 0.88e-4) < 0.1e-4
    ),
    has_texts=True,
)

COEFFICIENTS = Workflow(
    "coefficients of a fit as rows",
    prepare="quire run new 'k=sequence(-1, 1, 9)' / define 'x=1 - 2*k + 3*k**2' / write scan.sdds",
    verbs="""
        quire run scan.sdds / fit x --versus k --order 2 --parameters / select name,value / write rows.sdds
        quire get rows.sdds value
    """,
    old="""
        sddspfit scan.sdds -pipe=out -columns=k,x -terms=3 \\
            | sddsconvert -pipe -retain=parameter,Intercept,Slope,Curvature | sddscollapse -pipe \\
            | sddsconvert -pipe -delete=column,PageNumber \\
            | sddstranspose -pipe=in rows.sdds -oldColumnNames=name -root=value
        sdds2stream rows.sdds -columns=value
    """,
    truth=[1, -2, 3],
    has_texts=True,
)

RAMP = Workflow(
    "a ramp of the voltage",
    prepare="",
    verbs="""
        quire run new 't=sequence(0, 0.1, 11)' / define 'B=where(t < 0.055, 1, 1 + 20*(t - 0.05))' \\
            / deriv B --versus t / define 'V=where(B_derivative > 15, 2*B_derivative, 1)' / get t V
    """,
    old="""
        sddssequence -pipe=out -define=t -sequence=begin=0,end=0.1,number=11 \\
            | sddsprocess -pipe "-define=column,B,t 0.055 < ? pop pop 1 : pop pop t 0.05 - 20 * 1 + \\$" \\
            | sddsderiv -pipe -differentiate=B -versus=t \\
            | sddsprocess -pipe "-define=column,V,BDeriv 15 > ? pop pop BDeriv 2 * : pop pop 1 \\$" \\
            | sdds2stream -pipe -columns=t,V
    """,
    truth=[
        [t, 40 if t > 0.055 else 1]
        for t in (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.095)
    ],
    tolerance=1e-9,
)

PENALTY = Workflow(
    "a penalty from two files",
    prepare="""
        quire new found.sdds s=0,1,2 betax=10,12,11
        quire new wanted.sdds s=2,0,1 target=11,10.5,11 weight=3,1,2
    """,
    verbs="quire run found.sdds / join wanted.sdds --on s / get 'sum(weight*(betax - target)**2)'",
    old="""
        sddsxref found.sdds wanted.sdds -pipe=out -equate=s -take=target,weight \\
            | sddsprocess -pipe "-define=column,term,betax target - sqr weight *" -process=term,sum,penalty \\
            | sdds2stream -pipe -parameters=penalty
    """,
    truth=[2.25],
)

BEAM = Workflow(
    "a beam sampled from densities",
    prepare="quire run new 't[s]=sequence(0, 1e-12, 11)' / define 'f=1.0 + 0*row' / write density.sdds",
    verbs="""
        quire run density.sdds / define 'F=cumsum(f)' / write cumulative.sdds
        quire new beam.sdds 't[s]=cumulative(cumulative.sdds, t, F, halton=2)' 'x[m]=gaussian(0, 1e-3)' \\
            'xp=gaussian(0, 1e-4)' 'delta=gaussian(0, 1e-3)' --rows 200 --seed 5
        quire run beam.sdds / define 'p=1000*(1 + delta)' / get t x xp p
    """,
    old="""
        sddssampledist density.sdds beam.sdds -samples=200 -seed=5 \\
            -columns=independentVariable=t,df=f,haltonRadix=2 \\
            -gaussian=columnName=x,meanValue=0,sigmaValue=1e-3,units=m \\
            -gaussian=columnName=xp,meanValue=0,sigmaValue=1e-4 \\
            -gaussian=columnName=delta,meanValue=0,sigmaValue=1e-3
        sddsprocess beam.sdds -pipe=out "-define=column,p,1 delta + 1000 *" \\
            | sdds2stream -pipe -columns=t,x,xp,p
    """,
    truth=lambda numbers: np.allclose(
        [numbers[:, 0].mean() / 1e-12, numbers[:, 0].std() / 1e-12, numbers[:, 1].std() / 1e-3,
         numbers[:, 3].mean() / 1000],
        [0.5, 12**-0.5, 1, 1], rtol=0.15,
    ),
)  # fmt: skip

WORKFLOWS = (
    SHELL, CHROMATICITY, QUADRATICS, DETUNING, APERTURE, SLICES, RESPONSE, ERRORS, COEFFICIENTS, RAMP,
    PENALTY, BEAM,
)  # fmt: skip
